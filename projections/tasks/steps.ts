// Reads completed agent steps, in the order of the log.
import type { ReadStore } from '../store.ts'

export const createStepRows = (store: ReadStore) => {
  const after = store.prepare<
    [{ after: number; user: string | null; limit: number }],
    { position: number; id: string }
  >(
    `SELECT s.position, t.id FROM steps s JOIN tasks t ON t.position = s.task
     WHERE s.position > :after AND t.deleted = 0 AND (:user IS NULL OR t.user_id = :user)
     ORDER BY s.position LIMIT :limit`,
  )
  /** The steps after a position, of one user or of all users, oldest first. */
  return (position: number, limit: number, user?: string) =>
    after.all({ after: position, user: user ?? null, limit })
}
