// Steps that take their time, and what they care when they are told to stop. Used by tests only.
import { setTimeout as pause } from 'node:timers/promises'

const tool = name => ({
  type: 'function',
  function: { name, description: `Does ${name}.`, parameters: { type: 'object', properties: {} } },
})
const never = () => new Promise(() => setInterval(() => {}, 1000))
const told = signal => new Promise(resolve => signal.addEventListener('abort', resolve))

export class Late {
  reset() {
    this.count = 0
    return {}
  }

  async step(name, _args, { signal, emit }) {
    emit(`${name} `)
    switch (name) {
      case 'heed': // stops as soon as it is told to, with nothing done
        await told(signal)
        throw new Error('told to stop')
      case 'half': // has done something by then
        this.count += 100
        await told(signal)
        throw new Error('told to stop')
      case 'finish': // is told to stop, and finishes all the same
        await told(signal)
        await pause(50)
        break
      case 'hang':
        await never()
        break
      case 'spin':
        for (;;);
    }
    this.count++
    return { content: `${this.count} by now`, reward: 0.25 }
  }

  observe() {
    return { count: this.count }
  }

  tools() {
    return ['count', 'heed', 'half', 'finish', 'hang', 'spin'].map(tool)
  }
}

export class Kept extends Late {
  static recovery = 'snapshot'
  snapshot() {
    return this.count
  }
  restore(count) {
    this.count = count
  }
}

export class Gone extends Late {
  static recovery = 'none'
}

/** Has a limit of its own. */
export class Slow extends Late {
  static stepTimeoutMs = 1500
}

/** Leaves something else behind each time that it is stopped. */
export class Fickle extends Late {
  async step(name, args, context) {
    if (name !== 'half') return super.step(name, args, context)
    await told(context.signal)
    this.count = Date.now()
    throw new Error('told to stop')
  }
}

export default Late
