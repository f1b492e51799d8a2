// One job in a thread of its own, for what cannot be trusted to end: the thread is terminated at the deadline, or
// when the call is stopped, and the caller hears of it when the thread is gone.

import type { Timers } from '../contract/ports.ts'
import { startThread } from '../thread.ts'
import type { Said } from './inside-thread.ts'
import { stopped, unlessStopped } from './stop.ts'
import { createTurns } from './turns.ts'

export type Limits = {
  timers: Timers
  signal: AbortSignal
  /** Counted from when the thread has loaded its code. */
  deadlineMs: number
  tooLong: string
}

/** What JavaScript itself may take; the memory of WebAssembly is not part of it. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

const worded = (error: Error & { code?: string }): Error =>
  error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new Error('It needed too much memory and was ended') : error

/** Threads of this process at a time: each may take some hundred MiB. */
const turn = createTurns(8)

type Entry = 'search-thread' | 'javascript-thread'

export const inThread = <Answer>(entry: Entry, job: object, limits: Limits): Promise<Answer> =>
  turn(limits.signal, () => begin<Answer>(entry, job, limits))

const begin = async <Answer>(
  entry: Entry,
  job: object,
  { timers, signal, deadlineMs, tooLong }: Limits,
): Promise<Answer> => {
  unlessStopped(signal) // while it waited for its turn
  const worker = startThread(`${entry}.mjs`, { workerData: job, resourceLimits })
  let cancel = () => {}
  let stop = () => {}
  try {
    return await new Promise<Answer>((resolve, reject) => {
      stop = () => reject(stopped())
      signal.addEventListener('abort', stop)
      worker.on('message', (said: Said) => {
        if ('answer' in said) resolve(said.answer as Answer)
        else if ('failure' in said) reject(new Error(said.failure))
        else cancel = timers.after(deadlineMs, () => reject(new Error(tooLong)))
      })
      worker.on('error', error => reject(worded(error)))
      worker.on('exit', () => reject(new Error('The thread ended without an answer')))
      worker.unref() // only now: to listen is to keep the process alive
    })
  } finally {
    cancel()
    signal.removeEventListener('abort', stop)
    await worker.terminate()
  }
}
