import type { Timers } from '../contract/ports.ts'

/** Resolves after `ms` milliseconds, or at once when the signal aborts; the caller has to check the signal. */
export const sleep = (timers: Timers, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) return resolve()
    const wake = () => {
      cancel()
      signal.removeEventListener('abort', wake)
      resolve()
    }
    const cancel = timers.after(ms, wake)
    signal.addEventListener('abort', wake, { once: true })
  })
