// Decides when folded events are written to the tables, and when what is written is committed.
import type { Timers } from '../src/contract/ports.ts'
import type { Folding } from './folding.ts'
import type { ReadStore } from './store.ts'

// Delays a job: it is done once, some time after the first call, however many calls ask for it meanwhile.

/** `isHeld`: while it returns true, a job that is due is delayed once more. */
const createDelay = (timers: Timers, ms: number, isHeld = () => false) => {
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

/** Milliseconds until the rows of a folded event are written, if the store lets them. Writing the rows of many events together is cheaper. */
const flushMs = 20
/**
 * Milliseconds between two commits of rows that no query needs. Many rows change the same pages of the file, and each
 * commit stores each changed page once. After a crash, the start makes the rows again that were not committed.
 */
const commitMs = 200

type Parts = {
  folding: () => Folding
  store: Pick<ReadStore, 'isCopying' | 'mustBeWhole'>
  timers: Timers
  /** Called with the error when rows cannot be written or committed. */
  failed: (error: unknown) => void
}

export const createWriting = ({ folding, store, timers, failed }: Parts) => {
  const delay = createDelay(timers, flushMs, store.isCopying)
  /** The next commit, which waits because the last one was a moment ago. */
  const nextCommit = createDelay(timers, commitMs)
  const unlessFailed = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      failed(error)
    }
  }
  const commit = (): void => {
    if (!folding().commit()) return
    nextCommit.cancel()
    nextCommit.soon(() => unlessFailed(commit))
  }
  return {
    /** For a query: writes and commits the folded events now, also text that other writes leave out. */
    now(): void {
      unlessFailed(() => {
        delay.cancel()
        folding().write(true)
        commit()
      })
    },
    /** Writes the folded events now, and commits them now or a moment later. */
    commitSoon(): void {
      unlessFailed(() => {
        delay.cancel()
        folding().write(false)
        // A transaction that is still open when a copy ends keeps SQLite from using the WAL again.
        if (store.isCopying() || !nextCommit.isPlanned()) commit()
      })
    },
    /**
     * Does a piece of the work that writes have left for later, and commits it now or a moment later. Returns false when
     * nothing was left, or when it has failed.
     */
    later(): boolean {
      let isMore = false
      unlessFailed(() => {
        isMore = folding().later()
        if (isMore && (store.isCopying() || !nextCommit.isPlanned())) commit()
      })
      return isMore
    },
    /** Notices rows that a failure of the disk has taken back. */
    check: () => unlessFailed(store.mustBeWhole),
    /** Does this job a moment later, once for all calls until then. */
    soon: delay.soon,
    cancel(): void {
      delay.cancel()
      nextCommit.cancel()
    },
  }
}
