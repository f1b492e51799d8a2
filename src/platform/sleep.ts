import type { Timers } from '../contract/ports.ts'
import { onAbort } from './on-abort.ts'

/** Resolves after `ms` milliseconds, or as soon as the signal aborts. The caller must check the signal afterwards. */
export const sleep = (timers: Pick<Timers, 'after'>, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) return resolve()
    const wake = () => {
      cancel()
      leave()
      resolve()
    }
    const cancel = timers.after(ms, wake)
    const leave = onAbort(signal, wake)
  })

/** Resolves when `done` does, or after `ms` milliseconds. */
export const waitAtMost = async (timers: Timers, ms: number, done: Promise<void>): Promise<void> => {
  const over = new AbortController()
  await Promise.race([done, sleep(timers, ms, over.signal)])
  over.abort() // a timer that waits would keep the process running
}
