// What the hostile ones have in common: all but a step. The service's requests are numbered: create 1, reset 2, step 3.
import { writeSync } from 'node:fs'

export class Base {
  constructor(kwargs) {
    this.kwargs = kwargs
  }
  reset() {
    return { fresh: true }
  }
  observe() {
    return { here: true }
  }
  tools() {
    return [{ type: 'function', function: { name: 'go', parameters: { type: 'object' } } }]
  }
}
/** Around the host, straight into the protocol. */
export const say = text => writeSync(1, text)
export const never = () => new Promise(() => setInterval(() => {}, 1000))
