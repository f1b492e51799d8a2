// Finds the tasks that a create without an idempotency key may repeat: those of the same body.
import type { ReadStore } from '../store.ts'
import { rowColumns, type TaskRow } from './rows.ts'

export const createTwinRows = (store: ReadStore) => {
  const isTwin =
    'digest_start = substr(:digest, 1, 8) AND digest = :digest AND principal = :principal AND has_key = 0 AND deleted = 0'
  const spans =
    'tasks INDEXED BY tasks_ended_by_digest WHERE ended_at IS NOT NULL AND has_key = 0 AND deleted = 0'
  // The spans of time in which tasks ended, one after another.
  const twins = store.prepare<[{ principal: string; digest: string; since: number }], TaskRow>(
    `WITH RECURSIVE ended(span) AS (
       SELECT min(ended_span) FROM ${spans} AND ended_span >= cast(:since AS INTEGER) / 10000
       UNION ALL
       SELECT (SELECT min(ended_span) FROM ${spans} AND ended_span > span) FROM ended WHERE span IS NOT NULL
     )
     SELECT ${rowColumns} FROM ended CROSS JOIN tasks INDEXED BY tasks_ended_by_digest
       WHERE ended_span = span AND ${isTwin} AND ended_at IS NOT NULL AND ended_at >= :since
     UNION ALL
     SELECT ${rowColumns} FROM tasks INDEXED BY tasks_unfinished_by_digest WHERE ${isTwin} AND ended_at IS NULL
     ORDER BY position`,
  )
  /**
   * Tasks that this principal created with a body of this digest and without a key, oldest first: the unfinished ones,
   * and those that ended at or after `since`.
   */
  return (principal: string, digest: string, since: number) => twins.all({ principal, digest, since })
}
