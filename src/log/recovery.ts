// Recovery after a failed write, or after somebody moved or cut a file. Nothing is acknowledged until the log is open
// again and its end was read.
import { StorageFailure } from '../contract/stored.ts'
import type { CommitQueue } from './commit-queue.ts'
import type { Store } from './store.ts'

export type RecoveryDeps = {
  store: Pick<Store, 'trouble' | 'secure' | 'reopen' | 'last'>
  queue: Pick<CommitQueue, 'fail' | 'goOn' | 'hasFailed'>
  /** The last position that was acknowledged. */
  head: () => number
  /**
   * Called when the log is open again: later appends are put in order after its end. Nothing is appended until it
   * resolves.
   */
  reopened: () => Promise<void>
}

export const createRecovery = ({ store, queue, head, reopened }: RecoveryDeps) => {
  let recovering: Promise<void> | undefined
  let securing: Promise<void> | undefined
  /** The problem with the files that was reported last. */
  let reported: string | undefined
  /** Set while acknowledged events are missing. */
  let lost: string | undefined

  const reopen = async (): Promise<void> => {
    await securing
    const trouble = store.trouble()
    if (trouble !== undefined) throw new Error(trouble)
    await store.reopen()
    const end = store.last()?.position ?? 0
    // Recovery stops here: the missing positions were acknowledged, and would be given to other events.
    if (end < head()) {
      lost = `the event log has ${end} events, and ${head()} were acknowledged`
      throw new Error(lost)
    }
    lost = undefined
    await reopened()
    queue.goOn()
  }

  return {
    /** Runs once for all callers that wait for it. Rejects with StorageFailure. */
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
    /** Checks the files. Returns what is wrong with them, the first time it is found. */
    check(): string | undefined {
      const trouble = lost ?? store.trouble()
      if (trouble !== undefined && !queue.hasFailed()) queue.fail(new Error(trouble))
      const isNews = trouble !== undefined && trouble !== reported
      reported = trouble
      if (!isNews) return undefined
      securing = store.secure().catch(() => {}) // a WAL that has lost its name is gone when the process ends
      return trouble
    },
  }
}
