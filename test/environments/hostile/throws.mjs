// Throws wherever it can, and things that are no errors.
import { Base } from './base.mjs'

const things = {
  null: null,
  'a symbol': Symbol('odd'),
  'an object': Object.create(null),
  'an error': new Error('no such move'),
}

export default class Throws extends Base {
  constructor(kwargs) {
    super(kwargs)
    if (kwargs.where === 'constructor') throw new Error('bad arguments')
  }
  reset() {
    if (this.kwargs.where === 'reset') throw new Error('cannot begin')
    return {}
  }
  observe() {
    if (this.isBlind) throw new Error('cannot see')
    return { here: true }
  }
  step(_tool, { what, isBlind = false }) {
    this.isBlind = isBlind
    if (what !== undefined) throw things[what]
    return { content: 'done' }
  }
}
