// Spoils what all objects have in common, in its own process.
import { Base } from './base.mjs'

export default class Pollutes extends Base {
  step() {
    Object.prototype.polluted = 'yes'
    Object.prototype.result = { content: 'polluted' }
    Array.prototype.toJSON = () => 'gone'
    return { content: 'done' }
  }
}
