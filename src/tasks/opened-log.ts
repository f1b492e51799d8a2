// Opens the log again before a request looks for an earlier one. After a failed write, the events of an earlier request
// may be stored all the same, but only the opened log shows them.
import { StorageFailure } from '../contract/stored.ts'
import type { EventLog } from '../log/log.ts'

export type FailingLog = Pick<EventLog, 'isFailing' | 'retry'>

/** Throws StorageFailure when the log cannot be opened again now. */
export const openedAgain = async (log: FailingLog): Promise<void> => {
  if (!log.isFailing()) return
  await log.retry()
  if (log.isFailing()) throw new StorageFailure('the event log could not be written')
}
