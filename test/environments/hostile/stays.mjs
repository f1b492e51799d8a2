// Does not want to go: neither when it is closed, nor when it is told by a signal.
import { Base, never } from './base.mjs'

process.on('SIGTERM', () => {})

export default class Stays extends Base {
  step() {
    return { content: 'here I stay' }
  }
  close() {
    return never()
  }
}
