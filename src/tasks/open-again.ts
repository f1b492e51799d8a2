// Opens the log again after a failed write, before a request is decided. The failed write may have stored the events of an
// earlier request, and only the opened log shows them.
import { StorageFailure } from '../contract/stored.ts'
import type { EventLog } from '../log/log.ts'

export type FailingLog = Pick<EventLog, 'isFailing' | 'retry'>

/** Rejects with StorageFailure when the log cannot be opened again now. */
export const openAgain = async (log: FailingLog): Promise<void> => {
  if (!log.isFailing()) return
  await log.retry()
  if (log.isFailing()) throw new StorageFailure('the event log could not be written')
}
