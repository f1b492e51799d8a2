// Decides when folded events are written to the tables, and when what is written is committed.
import type { Timers } from '../src/contract/ports.ts'
import { createDelay } from './delay.ts'
import type { Intake } from './intake.ts'
import type { ReadStore } from './store.ts'

/** Milliseconds until the rows of a folded event are written, if the store lets them. Writing the rows of many events together is cheaper. */
const flushMs = 20
/**
 * Milliseconds until written rows are committed. Many rows change the same pages of the file, and each commit stores each
 * changed page once. After a crash, the start makes the rows again that were not committed.
 */
const commitMs = 200

type Parts = {
  intake: Intake
  store: Pick<ReadStore, 'isCopying'>
  timers: Timers
  /** Called with the error when rows cannot be written or committed. */
  failed: (error: unknown) => void
}

export const createWriting = ({ intake, store, timers, failed }: Parts) => {
  const delay = createDelay(timers, flushMs, store.isCopying)
  const commits = createDelay(timers, commitMs)
  const unlessFailed = (work: () => void) => {
    try {
      work()
    } catch (error) {
      failed(error)
    }
  }
  return {
    /** Writes the folded events now. `isWhole`: also text that other writes leave out. */
    now(isWhole: boolean): void {
      unlessFailed(() => {
        delay.cancel()
        intake.write(isWhole)
        commits.soon(() => unlessFailed(intake.commit))
      })
    },
    /** Does this job a moment later, once for all calls until then. */
    soon: delay.soon,
    cancel: delay.cancel,
  }
}
