// What tells a repeated create from a new one: the keys that were given, and the bodies of creates without a key.
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
    /** Creates of this principal with the same body and without a key, unfinished or ended at or after `since`, oldest first. */
    sameBody: (principalId: string, digest: string, since: number) => twins.all(principalId, digest, since),
  }
}
