// Opens the log again after a failed write, or after somebody moved or cut a file of the log. Nothing is appended until
// the log is open again and its last event was read.
import { StorageFailure } from '../contract/stored.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Store } from './store.ts'

export type RecoveryDeps = {
  store: Pick<Store, 'fault' | 'checkpoint' | 'reopen' | 'last'>
  queue: Pick<CommitQueue, 'fail' | 'goOn' | 'hasFailed'>
  /** The last position that was acknowledged. */
  head: () => number
  /**
   * Called when the log is open again: later appends are put in order after its last event. Nothing is appended until
   * the promise resolves.
   */
  reopened: () => Promise<void>
}

export const createReopening = ({ store, queue, head, reopened }: RecoveryDeps) => {
  let recovering: Promise<void> | undefined
  let checkpointing: Promise<void> | undefined
  /** The problem with the files that was reported last. */
  let reported: string | undefined
  /** The error about acknowledged events that are missing; undefined: none is missing. */
  let lost: string | undefined

  const reopen = async (): Promise<void> => {
    await checkpointing
    const fault = store.fault()
    if (fault !== undefined) throw new Error(fault)
    await store.reopen()
    const end = store.last()?.position ?? 0
    // Recovery stops here. Otherwise new events would get the positions of lost events, which callers know already.
    if (end < head()) {
      lost = `the event log has only ${end} of the ${head()} events that were acknowledged: restore it from a backup`
      throw new Error(lost)
    }
    lost = undefined
    await reopened()
    queue.goOn()
  }

  return {
    /** Opens the log again, once for all callers that wait for it. Rejects with StorageFailure. */
    recover(): Promise<void> {
      recovering ??= reopen()
        .catch(error => {
          throw new StorageFailure('the event log cannot be opened again', { cause: error })
        })
        .finally(() => {
          recovering = undefined
        })
      return recovering
    },
    /** Checks the files. Returns what is wrong with them when that is found for the first time. */
    check(): string | undefined {
      const fault = lost ?? store.fault()
      if (fault !== undefined && !queue.hasFailed()) queue.fail(new Error(fault))
      const isNews = fault !== undefined && fault !== reported
      reported = fault
      if (!isNews) return undefined
      checkpointing = store.checkpoint().catch(() => {}) // saves a removed WAL, which is gone when the process ends
      return fault
    },
  }
}
