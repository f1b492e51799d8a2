// A counter that shows what an instance is given, and does what one may do.
import { tmpdir } from 'node:os'

const tool = { type: 'function', function: { name: 'add', parameters: { type: 'object' } } }

export class Counter {
  static recovery = 'snapshot'
  static description = 'Counts.'
  static parameters = {
    type: 'object',
    properties: { from: { type: 'integer', default: 3 }, name: { type: 'string' } },
  }
  static stepTimeoutMs = 5000

  constructor(kwargs, given) {
    this.kwargs = kwargs
    this.given = given
    this.count = 0
    this.begun = []
    this.made = process.cwd()
    console.log('printed by the constructor')
  }
  reset(seed, options, { random, now }) {
    this.count = options.from ?? this.kwargs.from ?? 0
    this.begun = [seed, random(), now()]
  }
  async step(tool, args, { emit, signal, random, now }) {
    console.log('printed by a step')
    if (args.wait) {
      emit('waiting')
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      this.count += 100
      if (args.wait === 'throws') throw new Error('I was told to stop')
      return { content: 'stopped early' }
    }
    this.count += args.by ?? 1
    emit(`now ${this.count}`)
    return {
      content: [{ type: 'text', text: `${tool} ${this.count}` }],
      observation: { seen: this.count },
      reward: 0.5,
      terminated: this.count > 9,
      info: { random: [random(), random()], now: now() },
      blocks: [{ type: 'count', count: this.count }],
    }
  }
  observe() {
    return {
      count: this.count,
      begun: this.begun,
      made: this.made,
      cwd: process.cwd(),
      home: process.env.HOME,
      temporary: tmpdir(),
      variables: Object.keys(process.env).sort(),
      given: this.given,
    }
  }
  tools() {
    return [tool]
  }
  snapshot() {
    return { count: this.count }
  }
  restore(data) {
    this.count = data.count
  }
}

/** Does without all that may be left out. */
export default class Plain {
  reset() {}
  step() {
    return { content: 'done' }
  }
  observe() {
    return { plain: true }
  }
  tools() {
    return []
  }
}
export class Half {
  reset() {}
  step() {}
}
export const helper = () => {}
