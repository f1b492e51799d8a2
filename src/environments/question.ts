// One question to a program, from its sending to its answer. A question that takes too long, or is canceled, is stopped:
// the program may still answer it, and is ended if it does not.
import { AuthorsError, StopStep } from '../contract/environment.ts'
import type { Timers } from '../contract/ports.ts'
import { deferred } from './deferred.ts'
import type { Method } from './protocol.ts'

/** From the word to stop to the end of the program. */
const graceMs = 2000

export type Limits = {
  limitMs: number
  signal?: AbortSignal
  output?: (text: string) => void
}
/** `stopped`: it was stopped before it answered, and why. */
export type Answered = { result: unknown; stopped: string | undefined }
/** The program could not do what it was asked. */
export class Refused extends AuthorsError {
  stopped: string | undefined
}

type Deps = {
  timers: Pick<Timers, 'after'>
  send(message: object): void
  /** The program has to be ended, and why. */
  end(why: string): void
  /** It has its answer, or was refused. */
  settled(): void
}

/** Sends it, and waits. `answered` rejects with the error that it was refused with. */
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
