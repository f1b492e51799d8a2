// Delays a job: it is done once, some time after the first call, however many calls ask for it meanwhile.
import type { Timers } from '../src/contract/ports.ts'

/** `isHeld`: while it returns true, a job that is due is delayed once more. */
export const createDelay = (timers: Timers, ms: number, isHeld = () => false) => {
  let cancelJob: (() => void) | undefined
  const cancel = () => {
    cancelJob?.()
    cancelJob = undefined
  }
  /** Plans a job, unless one is planned already. */
  const soon = (job: () => void): void => {
    cancelJob ??= timers.after(ms, () => {
      cancelJob = undefined
      if (isHeld()) soon(job)
      else job()
    })
  }
  return { soon, cancel, isPlanned: () => cancelJob !== undefined }
}
