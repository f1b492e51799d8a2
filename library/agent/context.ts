// Makes the `ctx` of an agent: each of its functions is a call of the journal, with checks of what it is given.
import type { Begin } from '../../src/contract/code-agent.ts'
import { CallError } from './errors.ts'
import type { Asked, Journal } from './journal-port.ts'
import { latest, longestName, longestSaid } from './limits.ts'
import type { CallOptions, Content, Context, Message, ModelOptions } from './types.ts'

/** A wrong use of `ctx`. The message says what to write. */
const misuse = (message: string) => new TypeError(message)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const checkName = (name: unknown, call: string, example: string): string => {
  if (typeof name !== 'string' || name === '')
    throw misuse(`ctx.${call} needs a name first, for example ${example}`)
  if (name.length <= longestName) return name
  throw misuse(`the name that ctx.${call} got has ${name.length} characters, more than ${longestName}`)
}
const checkObject = (given: unknown, call: string, which: string): Record<string, unknown> => {
  if (isObject(given)) return given
  throw misuse(`the ${which} of ${call} must be an object, for example { order: 5 }`)
}
/** The parts in which a text is said. No character is cut in two. */
const saidIn = (given: unknown, call: string): string[] => {
  if (typeof given !== 'string') throw misuse(`ctx.${call} needs text, for example ctx.${call}('Hello')`)
  if (given.length <= longestSaid) return [given]
  const end = /[\ud800-\udbff]/.test(given.charAt(longestSaid - 1)) ? longestSaid - 1 : longestSaid
  return [given.slice(0, end), ...saidIn(given.slice(end), call)]
}

/** `more`: the options that the call has besides those of every call. */
const checkOptions = <O extends CallOptions>(
  options: O | undefined,
  call: string,
  more: readonly string[] = [],
): O => {
  const checked = checkObject(options ?? {}, call, 'options') as O
  const all = ['timeout', 'retries', 'signal', ...more]
  const unknown = Object.keys(checked).find(key => !all.includes(key))
  if (unknown !== undefined) throw misuse(`${call} has no option “${unknown}”: it has ${all.join(', ')}`)
  const { timeout, retries, signal } = checked
  if (timeout !== undefined && !(Number.isFinite(timeout) && timeout > 0 && timeout <= latest))
    throw misuse(`timeout of ${call} must be a number of milliseconds above 0, and at most ${latest}`)
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0))
    throw misuse(`retries of ${call} must be a whole number from 0`)
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw misuse(`signal of ${call} must be an AbortSignal`)
  return timeout === undefined ? checked : { ...checked, timeout: Math.ceil(timeout) }
}

/** Makes a call again after a failure, at most so many times. What was refused or dropped is not tried again. */
const trying = async <T>(call: () => Promise<T>, retries = 0): Promise<T> => {
  for (let tried = 0; ; tried++) {
    try {
      return await call()
    } catch (error) {
      const isFinal = !(error instanceof CallError) || error.kind === 'refused' || error.kind === 'dropped'
      if (isFinal || tried >= retries) throw error
    }
  }
}

/** A promise that nobody awaits may fail: the journal shows the failure. */
const noted = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => {})
  return promise
}

const modelOptions = ['tools', 'schema', 'model', 'silent']

type Call = { call_id: string; name: string }
type Answer = { text: string; calls?: Call[]; value?: unknown }

export const contextOf = (journal: Journal, begin: Begin): Context => {
  /** A call with the usual options, which are not part of what is compared. */
  const ask = (asked: Asked, { timeout, retries, signal }: CallOptions): Promise<unknown> =>
    trying(() => journal.ask({ ...asked, timeout, signal }), retries)

  const tool = async (name: string, args: object = {}, options?: CallOptions): Promise<string> => {
    checkName(name, 'tool', "ctx.tool('find_order', { order: 5 })")
    const what = `ctx.tool('${name}')`
    const fields = { arguments: checkObject(args, what, 'arguments') }
    const result = await ask({ do: 'tool', name, fields, what }, checkOptions(options, what))
    return (result as { text: string }).text
  }

  const env = async (name: string, args: object = {}): Promise<unknown> => {
    const what = `ctx.env.${name}()`
    return journal.ask({ do: 'env', name, fields: { arguments: checkObject(args, what, 'arguments') }, what })
  }

  const model = async (prompt: string | readonly Message[], options?: ModelOptions): Promise<unknown> => {
    const isPrompt = typeof prompt === 'string' || (Array.isArray(prompt) && prompt.length > 0)
    if (!isPrompt)
      throw misuse(
        "ctx.model needs a prompt or a list of messages, for example ctx.model('Which city is meant?')",
      )
    const { timeout, retries, signal, silent, ...rest } = checkOptions(options, 'ctx.model()', modelOptions)
    const same = { ...rest, ...(silent ? { silent } : {}) }
    const what = 'ctx.model()'
    /** The entry of each answer is known, since the next question continues its conversation. */
    const once = async (fields: Record<string, unknown>): Promise<{ n: number; answer: Answer }> =>
      trying(async () => {
        const asked = journal.begin({ do: 'model', fields: { ...fields, ...same }, what, timeout, signal })
        return { n: asked.n, answer: (await asked.result) as Answer }
      }, retries)
    const messages = typeof prompt === 'string' ? [{ role: 'user', content: prompt }] : prompt
    let { n, answer } = await once({ messages })
    while (answer.calls !== undefined && answer.calls.length > 0) {
      // A call that fails is answered too: the model sees the failure.
      await Promise.allSettled(
        answer.calls.map(({ name, call_id }) =>
          journal.ask({ do: 'tool', name, fields: { call_id }, what: `ctx.tool('${name}')`, signal }),
        ),
      )
      ;({ n, answer } = await once({ messages: [], continues: n }))
    }
    return options?.schema === undefined ? answer.text : answer.value
  }

  const tell = (kind: 'say' | 'think', given: string): void => {
    for (const text of saidIn(given, kind))
      journal.tell({ do: kind, fields: { text }, what: `ctx.${kind}()` })
  }

  const context: Context = {
    task: begin.task,
    session: begin.session,
    input: begin.input as Context['input'],
    config: begin.config ?? {},
    vars: (begin.vars ?? {}) as Record<string, string>,
    signal: journal.signal,
    traceparent: begin.traceparent,
    history: () => noted(journal.history('ctx.history()')) as ReturnType<Context['history']>,
    model: ((prompt: string | readonly Message[], options?: ModelOptions) =>
      noted(model(prompt, options))) as Context['model'],
    tool: (name, args, options) => noted(tool(name, args, options)),
    agent: (name: string, input: Content, config: object = {}, options?: CallOptions) => {
      const run = async () => {
        checkName(name, 'agent', "ctx.agent('researcher', 'Find three sources.')")
        const what = `ctx.agent('${name}')`
        if (typeof input !== 'string' && !Array.isArray(input))
          throw misuse(`${what} needs an input: text, or a list of parts of a message`)
        const fields = { input, config: checkObject(config, what, 'configuration') }
        const result = await ask({ do: 'agent', name, fields, what }, checkOptions(options, what))
        return (result as { text: string }).text
      }
      return noted(run())
    },
    ask: ((name: string, args: object = {}, options?: CallOptions & { schema?: object }) => {
      const run = async () => {
        checkName(name, 'ask', "ctx.ask('approve_refund', { order: 5 })")
        const what = `ctx.ask('${name}')`
        const { schema, ...rest } = checkOptions(options, what, ['schema'])
        const fields = { arguments: checkObject(args, what, 'arguments'), schema }
        const result = await ask({ do: 'ask', name, fields, what }, rest)
        const { text, value } = result as { text: string; value?: unknown }
        return schema === undefined ? text : value
      }
      return noted(run())
    }) as Context['ask'],
    message: options => {
      const run = async () => {
        const { timeout, signal } = checkOptions(options, 'ctx.message()')
        return journal.ask({ do: 'message', what: 'ctx.message()', timeout, signal })
      }
      return noted(run()) as ReturnType<Context['message']>
    },
    env: {
      step: (name, args, options) => noted(tool(name, args, options)),
      reset: args => noted(env('reset', args)),
      observe: args => noted(env('observe', args)),
    },
    sleep: (until, options) => {
      const run = async () => {
        const { signal } = checkOptions(options, 'ctx.sleep()')
        const time = until instanceof Date ? until.getTime() : journal.now() + until
        const isTime = (typeof until === 'number' || until instanceof Date) && Number.isFinite(time)
        if (!isTime || (typeof until === 'number' && until < 0))
          throw misuse('ctx.sleep needs a number of milliseconds from 0, or a Date')
        // The stored time counts, so another time is no other call.
        const fields = { until: Math.min(Math.ceil(time), latest) }
        await journal.ask({ do: 'sleep', fields, compared: {}, what: 'ctx.sleep()', signal })
      }
      return noted(run())
    },
    run: ((name, fn, options) => {
      const run = async () => {
        checkName(name, 'run', "ctx.run('send letter', () => send(letter))")
        const what = `ctx.run('${name}')`
        if (typeof fn !== 'function') throw misuse(`${what} needs a function as its second argument`)
        const { safe = false, timeout, retries, signal } = checkOptions(options, what, ['safe'])
        const fields = safe ? { safe } : {}
        return trying(
          () => journal.run(name, fn, { do: 'run', name, fields, compared: {}, what, timeout, signal, safe }),
          retries,
        )
      }
      return noted(run())
    }) as Context['run'],
    say: text => tell('say', text),
    think: text => tell('think', text),
    now: journal.now,
    random: journal.random,
  }
  return Object.freeze(context)
}
