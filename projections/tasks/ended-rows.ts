// Finds the rows of tasks for an erasure, also those of deleted tasks, since their content is still in the log.
import type { TaskStatus } from '../../src/contract/wire.ts'
import type { ReadStore } from '../store.ts'

export type ErasableTask = {
  position: number
  id: string
  user_id: string
  session_id: string
  status: TaskStatus
  deleted: 0 | 1
  /** Whether the task has ended. */
  ended: 0 | 1
}

/** Ended tasks that a rule of retention names. `before`: they ended before this time (Unix milliseconds). */
export type EndedFilter = {
  before: number
  status?: string | undefined
  agent?: string | undefined
  userId?: string | undefined
}

const columns = 'position, id, user_id, session_id, status, deleted, ended_at IS NOT NULL AS ended'
/** The largest number of rows that one slice looks at. */
const sliceRows = 500

export const createEndedRows = (store: ReadStore) => {
  // Each index has the rows with one value of `deleted`.
  const both = (where: string) =>
    [0, 1]
      .map(deleted => `SELECT ${columns} FROM tasks WHERE deleted = ${deleted} AND ${where}`)
      .join(' UNION ALL ')
  const ofSession = store.prepare<[{ session: string }], ErasableTask>(both('session_id = :session'))
  const ofUser = [0, 1].map(deleted =>
    store.prepare<[string, number], ErasableTask>(
      `SELECT ${columns} FROM tasks WHERE deleted = ${deleted} AND user_id = ? AND position > ?
       ORDER BY position LIMIT ${sliceRows}`,
    ),
  )
  const byId = store.prepare<[string], ErasableTask>(
    `SELECT ${columns} FROM tasks WHERE id = ? AND deleted < 2`,
  )
  const erasedAt = store.prepare<[string], { position: number; user_id: string }>(
    'SELECT position, user_id FROM tasks WHERE id = ? AND deleted = 2',
  )
  const forks = store.prepare<[number], ErasableTask>(
    `SELECT ${columns} FROM tasks WHERE past IS NOT NULL AND position > ? AND deleted < 2
     ORDER BY position LIMIT ${sliceRows}`,
  )
  const old = store.prepare<
    [{ after: number; before: number; status: string | null; agent: string | null; user: string | null }],
    ErasableTask & { fits: 0 | 1 }
  >(
    `SELECT ${columns}, ended_at IS NOT NULL AND ended_at < :before AND (:status IS NULL OR status = :status)
       AND (:agent IS NULL OR agent = :agent) AND (:user IS NULL OR user_id = :user) AS fits
     FROM tasks WHERE position > :after AND deleted < 2 ORDER BY position LIMIT ${sliceRows}`,
  )
  return {
    /** The tasks of a session of one user, subagents included, in order of creation. */
    ofSession: (session: string): ErasableTask[] => ofSession.all({ session }),
    /**
     * A slice of the tasks of a user after a position: first of the tasks that are not deleted, then of the deleted ones.
     * A task that is deleted between two slices may come twice.
     */
    ofUser: (user: string, deleted: 0 | 1, after: number): ErasableTask[] =>
      ofUser[deleted]?.all(user, after) ?? [],
    byId: (id: string) => byId.get(id),
    /**
     * The position of the first event of an erased task, and the user. Undefined: there is no such task, or it is not
     * erased.
     */
    erased: (id: string) => erasedAt.get(id),
    /** A slice of the forks after a position. */
    forksAfter: (position: number): ErasableTask[] => forks.all(position),
    /**
     * Reads one slice of all tasks, after a position. `found`: the tasks that fit. `next`: the position after which the
     * next slice begins; undefined after the last slice.
     */
    oldAfter({ before, status, agent, userId }: EndedFilter, after: number) {
      const rows = old.all({
        ...{ after, before },
        status: status ?? null,
        agent: agent ?? null,
        user: userId ?? null,
      })
      const next = rows.length < sliceRows ? undefined : rows.at(-1)?.position
      return { found: rows.filter(({ fits }) => fits === 1), next }
    },
  }
}
