// Shows the arguments and settings that it got, and of what kind they were.
export class Echo {
  static recovery = 'refold'

  constructor(kwargs) {
    this.seen = { kwargs }
  }

  reset(_seed, options) {
    this.seen = { ...this.seen, options }
  }

  step(_tool, args) {
    this.seen = { ...this.seen, args }
    return { content: `${args.n} is a ${typeof args.n}` }
  }

  observe() {
    return this.seen
  }

  tools() {
    const parameters = { type: 'object', properties: { n: { type: 'number' } } }
    return [{ type: 'function', function: { name: 'show', parameters } }]
  }
}
