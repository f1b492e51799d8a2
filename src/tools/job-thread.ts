// Runs one job in a thread of the workshop, for code that might run for ever. The thread is terminated at the deadline,
// or when the call is stopped; the call settles only when the thread is gone.

import type { Timers } from '../contract/ports.ts'
import { createPlaces } from '../fairness/places.ts'
import { type Deadline, startDeadline } from '../platform/threads/deadline.ts'
import { processorMs } from '../platform/threads/thread-time.ts'
import { mostDeadlines } from './deadlines.ts'
import { stopped, unlessStopped } from './stop.ts'
import { beginThread, type Entry, type WorkshopThread } from './workshop.ts'

export type Limits = {
  timers: Timers
  /** The user for whom the job runs. Users take turns. */
  user: string
  signal: AbortSignal
  /**
   * The job may take about this many milliseconds, from the moment when the thread has loaded its code. When other
   * work or a slow disk has kept the thread from running, the job gets more time, up to `mostDeadlines` times as much.
   */
  deadlineMs: number
  /** The message of the error when the deadline has passed. */
  tooLong: string
}

/** At most this many threads run at a time, in all and for one user. Each thread may take some hundred MiB. */
const { hold } = createPlaces({ places: 8, perUser: 6 })

export const inThread = <Answer>(entry: Entry, job: object, limits: Limits): Promise<Answer> => {
  const { user, signal } = limits
  return hold(user, () => begin<Answer>(entry, job, limits), signal).catch(error => {
    unlessStopped(signal) // the call may have been stopped while it waited
    throw error
  })
}

const begin = async <Answer>(
  entry: Entry,
  job: object,
  { timers, signal, deadlineMs, tooLong }: Limits,
): Promise<Answer> => {
  unlessStopped(signal) // the call may have been stopped while it waited for its turn
  let thread: WorkshopThread | undefined
  let deadline: Deadline | undefined
  let stop = () => {}
  try {
    return await new Promise<Answer>((resolve, reject) => {
      stop = () => reject(stopped())
      signal.addEventListener('abort', stop)
      thread = beginThread(entry, job, said => {
        if ('answer' in said) resolve(said.answer as Answer)
        else if ('failure' in said) reject(new Error(said.failure))
        else {
          const ran = () => processorMs(said.thread)
          deadline = startDeadline({ ms: deadlineMs, most: mostDeadlines, timers, ran }, () => {
            if (!deadline?.putOff()) reject(new Error(tooLong))
          })
        }
      })
    })
  } finally {
    deadline?.stop()
    signal.removeEventListener('abort', stop)
    await thread?.end()
  }
}
