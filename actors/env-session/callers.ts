// Keeps the callers of environment sessions by the numbers of their requests: their callbacks, abort signals and
// promised answers. None of these is data, so a command carries only the number.

import type { Repeats } from '../../src/contract/commands/env-session-commands.ts'
import type { SessionView } from '../../src/history/env-session.ts'
import { TransientMap } from '../../src/platform/transient.ts'

export type Caller = {
  /**
   * Called when the request begins: for a step with the number of the step, else with 0. Not called when the request
   * was carried out earlier.
   */
  began?: (step: number) => void | Promise<void>
  /** Called with the output of a step while it runs. */
  emit?: (text: string) => void
  /** Stops the step when it aborts. */
  signal?: AbortSignal
  repeats?: Repeats
}
type Waiting = Caller & { resolve(view: SessionView): void; reject(error: unknown): void }

const noCaller: Caller = {}

export const createCallers = () => {
  const waiting = new TransientMap<number, Waiting>()
  let newest = 0
  const take = (no: number): Waiting | undefined => {
    const caller = waiting.get(no)
    waiting.delete(no)
    return caller
  }
  const fail = (no: number, error: unknown): void => take(no)?.reject(error)
  return {
    /**
     * Sends a command under a new number. Resolves when the actor answers; rejects when the command or its turn fails.
     */
    ask: (caller: Caller, send: (no: number) => Promise<unknown>): Promise<SessionView> =>
      new Promise((resolve, reject) => {
        const no = ++newest
        waiting.set(no, { resolve, reject, ...caller })
        send(no).catch(error => fail(no, error))
      }),
    of: (no: number): Caller => waiting.get(no) ?? noCaller,
    answer: (no: number, view: SessionView): void => take(no)?.resolve(view),
    fail,
  }
}
export type Callers = ReturnType<typeof createCallers>
