// Finds out whether a request to create a task repeats an earlier one: by its idempotency key, or without a key by its
// body.
import type { ReadStore } from '../store.ts'
import { rowColumns, type TaskRow } from './rows.ts'

export const createIdempotencyRows = (store: ReadStore) => {
  const key = store.prepare<[string, string], { task_id: string; digest: string; time: number }>(
    'SELECT task_id, digest, time FROM idempotency_keys WHERE principal = ? AND key = ?',
  )
  const twins = store.prepare<[string, string, number], TaskRow>(
    `SELECT ${rowColumns} FROM tasks WHERE principal = ? AND digest = ? AND has_key = 0 AND deleted = 0
       AND (ended_at IS NULL OR ended_at >= ?) ORDER BY position`,
  )
  return {
    key: (principalId: string, name: string) => key.get(principalId, name),
    /**
     * Tasks that this principal created with a body of this digest and without a key, oldest first: the unfinished
     * ones, and those that ended at or after `since`.
     */
    sameBody: (principalId: string, digest: string, since: number) => twins.all(principalId, digest, since),
  }
}
