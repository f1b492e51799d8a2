// The callers of sessions, by the number of their request: what each hears while it runs, how it stops it, and its answer.
// None of that is data, so a command carries the number alone.
import type { Repeats } from '../../src/contract/env-session-commands.ts'
import type { SessionView } from '../../src/history/env-session.ts'

/** A caller that wants to hear nothing gives nothing. */
export type Caller = {
  /** Hears that its request begins: for a step, the number that it has. What is done already does not begin. */
  began?: (step: number) => void | Promise<void>
  /** Hears what a step says while it runs. */
  emit?: (text: string) => void
  /** Stops a step. */
  signal?: AbortSignal
  repeats?: Repeats
}
type Waiting = Caller & { resolve(view: SessionView): void; reject(error: unknown): void }

const noCaller: Caller = {}

export const createCallers = () => {
  const waiting = new Map<number, Waiting>()
  let newest = 0
  const leave = (request: number): Waiting | undefined => {
    const caller = waiting.get(request)
    waiting.delete(request)
    return caller
  }
  const fail = (request: number, error: unknown): void => leave(request)?.reject(error)
  return {
    /** Sends a command under a new number. Resolves when its actor answers; rejects when it, or its turn, fails. */
    ask: (caller: Caller, send: (request: number) => Promise<unknown>): Promise<SessionView> =>
      new Promise((resolve, reject) => {
        const request = ++newest
        waiting.set(request, { ...caller, resolve, reject })
        send(request).catch(error => fail(request, error))
      }),
    of: (request: number): Caller => waiting.get(request) ?? noCaller,
    answer: (request: number, view: SessionView): void => leave(request)?.resolve(view),
    fail,
  }
}
export type Callers = ReturnType<typeof createCallers>
