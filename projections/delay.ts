// Delays a job: it is done once, some time after the first call, however many calls ask for it meanwhile.
import type { Timers } from '../src/contract/ports.ts'

export const createDelay = (timers: Timers, ms: number) => {
  let cancelJob: (() => void) | undefined
  const cancel = () => {
    cancelJob?.()
    cancelJob = undefined
  }
  return {
    /** Plans a job, unless one is planned already. */
    soon(job: () => void): void {
      cancelJob ??= timers.after(ms, () => {
        cancelJob = undefined
        job()
      })
    },
    cancel,
  }
}
