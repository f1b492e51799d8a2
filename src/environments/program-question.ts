// Sends one request to a program and waits for the answer. If the request takes too long or is canceled, the program is
// told to stop it. The program may still answer then. If it does not answer soon, it is ended.
import { AuthorsError, StopStep } from '../contract/environment.ts'
import type { Timers } from '../contract/ports.ts'
import { deferred } from '../platform/deferred.ts'
import type { Method } from './protocol.ts'

/** A program that was told to stop must answer within this many milliseconds. */
const graceMs = 2000

export type Limits = {
  /** Milliseconds after which the program is told to stop the request. */
  limitMs: number
  signal?: AbortSignal
  output?: (text: string) => void
}
/** `stopped`: why the program was told to stop the request before it answered; undefined: it was not told to stop. */
export type Answered = { result: unknown; stopped: string | undefined }
/** The program answered the request with an error. */
export class Refused extends AuthorsError {
  stopped: string | undefined
}

type Deps = {
  timers: Pick<Timers, 'after'>
  send(message: object): void
  /** Ends the program, for this reason. */
  end(why: string): void
  /** Called when the request has its answer or its error. */
  settled(): void
}

/** Sends the request. `answered` resolves with the answer. It rejects with the error that is given to `refuse`. */
export const createQuestion = (
  { id, method, params }: { id: number; method: Method; params: object },
  { limitMs, signal, output = () => {} }: Limits,
  { timers, send, end, settled }: Deps,
) => {
  let stopped: string | undefined
  const stop = (why: string) => {
    if (stopped !== undefined) return
    stopped = why
    send({ method: 'cancel', params: { id } })
    cancelTimer()
    cancelTimer = timers.after(graceMs, () =>
      end(`the environment's ${method} ${why} and did not stop when it was told to`),
    )
  }
  const cancel = () => stop(signal?.reason instanceof StopStep ? signal.reason.message : 'was canceled')
  const settle = () => {
    cancelTimer()
    signal?.removeEventListener('abort', cancel)
    settled()
  }
  const { promise, resolve, reject } = deferred<Answered>()
  send({ id, method, params })
  let cancelTimer = timers.after(limitMs, () => stop(`took longer than ${limitMs / 1000} s`))
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  return {
    id,
    output,
    answered: promise,
    answer(result: unknown): void {
      settle()
      resolve({ result, stopped })
    },
    refuse(error: Error): void {
      settle()
      if (error instanceof Refused) error.stopped = stopped
      reject(error)
    },
  }
}
export type Question = ReturnType<typeof createQuestion>
