// The interpreter of run_javascript. Nothing is disposed: one thread runs one piece of code, and the end of the thread
// frees everything, also after a failure that left the interpreter in an invalid state.
import type { QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten'
import { ownDeadline } from '../platform/threads/deadline.ts'
import { mostDeadlines } from './deadlines.ts'
import { file, guest } from './javascript-guest.ts'
import { beginning } from './text.ts'

// Collects the output of code, up to a limit.

/** The greatest length of the output, in bytes. */
const longest = 64 << 10
const note = '[Cut: the output is longer than 64 KiB]'

/** At most this many characters are taken of one text: one more than fits, to show that the text was longer. */
const longestText = longest + 1

const printed = () => {
  const lines: string[] = []
  let room = longest
  const cut = (text: string): string => {
    const short = beginning(text, longest)
    return room >= 0 && short.length === text.length ? text : `${short}\n${note}`
  }
  return {
    add(line: string) {
      if (room >= 0) lines.push(line)
      room -= line.length + 1
    },
    andThen: (value: string): string => cut([...lines, value].join('\n')),
    before: (failure: string): string =>
      cut(lines.length === 0 ? failure : [failure, 'Printed before:', ...lines].join('\n')),
  }
}

export type JavascriptJob = {
  code: string
  /** The variables that the code sees in `env`. */
  env: Record<string, unknown>
  seed: number
  at: number
  /** Milliseconds that the code may run. The time that its thread waits for a processor does not count. */
  deadlineMs: number
  tooLong: string
}

const maxStackSizeBytes = 256 << 10
/** Flag of QuickJS: the code may await at the top level, and returns a promise of `{ value }`. */
const topLevelAwait = 1 << 7

/** Random numbers by mulberry32. It is small, and good enough for what is not secret. */
const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

class Failure extends Error {}

/** The message for an error of the interpreter itself. */
const gaveUp = (error: unknown): string =>
  error instanceof RangeError ? 'The code is nested or calls itself too deeply' : `The code failed: ${error}`

export const evaluate = (quickjs: QuickJSWASMModule, job: JavascriptJob): string => {
  let isOver = () => false
  let late = false
  const interruptHandler = () => {
    late ||= isOver()
    return late
  }
  const runtime = quickjs.newRuntime({ maxStackSizeBytes, interruptHandler })
  const context = runtime.newContext()
  const output = printed()
  const text = (json: QuickJSHandle): string => JSON.parse(context.getString(json))

  const print = context.newFunction('print', line => output.add(text(line)))
  const prepare = context.unwrapResult(context.evalCode(guest(longestText), 'guest.js', { type: 'global' }))
  const variables = context.newString(JSON.stringify(job.env))
  const guests = context.unwrapResult(context.callFunction(prepare, context.undefined, print, variables))
  const [show, describe] = [context.getProp(guests, 0), context.getProp(guests, 1)]
  const random = randomOf(job.seed)
  context.setProp(
    context.getProp(context.global, 'Math'),
    'random',
    context.newFunction('random', () => context.newNumber(random())),
  )

  const unlessThrown = (error: QuickJSHandle | undefined): void => {
    if (late) throw new Failure(job.tooLong)
    if (error === undefined) return
    // Without memory for an error object, the interpreter throws null.
    if (context.eq(error, context.null)) throw new Failure('The code ran out of memory, or threw null')
    const description = context.callFunction(describe, context.undefined, error)
    throw new Failure(
      description.error
        ? 'What was thrown cannot be shown; perhaps the code ran out of memory'
        : text(description.value),
    )
  }
  const shown = (value: QuickJSHandle): string => {
    const said = context.callFunction(show, context.undefined, value)
    unlessThrown(said.error)
    return text(context.unwrapResult(said))
  }
  /** The value of a promise after all jobs have run; a value that is no promise is returned unchanged. */
  const awaited = (handle: QuickJSHandle): QuickJSHandle => {
    while (runtime.hasPendingJob()) unlessThrown(runtime.executePendingJobs().error)
    const state = context.getPromiseState(handle)
    if (state.type === 'pending') throw new Failure('The code waits for a promise that nothing will settle')
    if (state.type === 'fulfilled') return state.value
    unlessThrown(state.error)
    return handle
  }

  try {
    isOver = ownDeadline(job.deadlineMs, mostDeadlines) // our own preparation is not counted
    const result = context.evalCode(job.code, file, topLevelAwait)
    unlessThrown(result.error)
    const completion = awaited(context.unwrapResult(result))
    return output.andThen(shown(awaited(context.getProp(completion, 'value'))))
  } catch (error) {
    throw new Error(output.before(error instanceof Failure ? error.message : gaveUp(error)))
  }
}
