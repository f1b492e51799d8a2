// A counter in three levels of recovery, with a tool for whatever can happen in a step. Used by tests only.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const tool = (name, properties = {}) => ({
  type: 'function',
  function: {
    name,
    description: `Does ${name}.`,
    parameters: {
      type: 'object',
      properties,
      required: Object.keys(properties),
      additionalProperties: false,
    },
  },
})
const text = { type: 'string' }
const whole = { type: 'integer' }

export class Counter {
  static recovery = 'refold'
  static description = 'Counts.'
  static parameters = {
    type: 'object',
    properties: {
      start: { ...whole, default: 0 },
      end: whole,
      trace: text,
      broken: text,
      color: text,
      size: whole,
    },
    additionalProperties: false,
  }

  constructor(kwargs, { env_vars }) {
    if (kwargs.broken === 'in its constructor') throw new Error('broken in its constructor')
    this.kwargs = kwargs
    this.known = Object.keys(env_vars)
    this.isOpen = env_vars.PASSWORD === undefined || env_vars.PASSWORD.startsWith('open')
  }

  reset(seed, options) {
    if (this.kwargs.broken === 'in its reset' || options.broken) throw new Error('broken in its reset')
    if (options.exit) process.exit(3)
    this.seen = { total: options.start ?? this.kwargs.start ?? 0, drawn: [], at: [], seed }
    return this.seen
  }

  async step(name, args, { emit, signal, random, now }) {
    // Whoever counts the lines of this file knows how often something was done, whatever the log says.
    if (this.kwargs.trace !== undefined)
      appendFileSync(this.kwargs.trace, `${name} ${JSON.stringify(args)}\n`)
    const { seen } = this
    switch (name) {
      case 'add':
        seen.total += args.by
        break
      case 'draw':
        seen.drawn.push(random())
        seen.at.push(now())
        break
      case 'say':
        for (const word of args.words.split(' ')) emit(`${word} `)
        return this.told({ content: [{ type: 'text', text: args.words }], blocks: [{ type: 'said' }] })
      case 'hold': // until the file is there, or it is told to stop
        writeFileSync(`${args.file}.begun`, '')
        emit('holding')
        while (!existsSync(args.file) && !signal.aborted) await pause(5)
        if (signal.aborted) throw new Error('it was told to stop')
        seen.total++
        break
      case 'fail':
        seen.total += 100
        throw new Error(args.why)
      case 'lie':
        return { content: 5 }
      case 'exit':
        return process.exit(7)
      case 'end':
        return this.told({ content: 'the end', reward: 0.5, terminated: true, info: { why: 'asked to' } })
    }
    const truncated = this.kwargs.end !== undefined && seen.total >= this.kwargs.end
    return this.told({ content: `it is ${seen.total} now`, reward: 0.25, truncated })
  }

  told(result) {
    return { observation: structuredClone(this.seen), ...result }
  }

  observe() {
    return { ...this.seen, known: this.known, isOpen: this.isOpen }
  }

  tools() {
    const more = (this.seen?.total ?? 0) >= 1000 ? [tool('celebrate')] : []
    return [
      tool('add', { by: whole }),
      tool('draw'),
      tool('say', { words: text }),
      tool('hold', { file: text }),
      tool('fail', { why: text }),
      tool('lie'),
      tool('exit'),
      tool('end'),
      ...more,
    ]
  }
}

export class Kept extends Counter {
  static recovery = 'snapshot'
  snapshot() {
    return this.seen
  }
  restore(seen) {
    this.seen = seen
  }
}

export class Gone extends Counter {
  static recovery = 'none'
}

export default Counter
