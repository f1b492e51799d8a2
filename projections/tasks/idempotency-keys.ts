// Finds out whether a create is repeated: by its idempotency key, or by its body when it has no key.
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
     * Creates of this principal with the same body and without a key, oldest first: those that are unfinished, and those
     * that ended at or after `since`.
     */
    sameBody: (principalId: string, digest: string, since: number) => twins.all(principalId, digest, since),
  }
}
