// Never answers, and does not care that it is told to stop.
import { Base, never } from './base.mjs'

export default class Hang extends Base {
  step() {
    return never()
  }
}
