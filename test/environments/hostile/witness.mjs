// Not hostile: it works meanwhile.
import { Base } from './base.mjs'

export default class Witness extends Base {
  step() {
    return { content: 'meanwhile' }
  }
}
