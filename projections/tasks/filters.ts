// Turns the filters of a list of tasks into conditions in SQL. For some filters, an index finds the rows. For the other
// filters, each row is checked.
import { isTerminal, type TaskStatus } from '../../src/contract/wire.ts'
import type { ReadStore } from '../store.ts'

export type TaskFilter = {
  userId: string | undefined
  sessionId: string | undefined
  statuses: TaskStatus[]
  includeSubtasks: boolean
  agent?: string | undefined
  /** A part of the code or of the message of a task's error. Upper and lower case do not matter. */
  error?: string | undefined
  /** Only tasks that were created at this time (milliseconds since 1970) or later. */
  createdAfter?: number | undefined
  /** Only tasks that were created before this time (milliseconds since 1970). */
  createdBefore?: number | undefined
  /** The position of the log at which the tasks are listed; absent: they are listed as they are now. */
  asOf?: { position: number; withDeleted: boolean } | undefined
}

/** Conditions in SQL with their values. */
export type Where = { sql: string[]; values: unknown[] }
export const and = ({ sql, values }: Where, condition: string, ...more: unknown[]): Where => ({
  sql: [...sql, condition],
  values: [...values, ...more],
})

/** The conditions for which each row is checked; undefined: there are none. */
export const fitsOf = ({ agent, error }: TaskFilter): Where | undefined => {
  let where: Where = { sql: [], values: [] }
  if (agent !== undefined) where = and(where, 'agent = ?', agent)
  if (error !== undefined) where = and(where, 'coalesce(instr(error, ?), 0) > 0', error.toLowerCase())
  return where.sql.length === 0 ? undefined : where
}
/** Conditions for one walk along an index for each status. A single walk would also read tasks of other statuses. */
const walksNow = (where: Where, { statuses, error }: TaskFilter): Where[] => {
  const wanted: (TaskStatus | undefined)[] = statuses.length === 0 ? [undefined] : statuses
  // Only failed tasks have an error.
  const found =
    error === undefined ? wanted : wanted.some(one => (one ?? 'failed') === 'failed') ? ['failed'] : []
  return found.map(status => (status === undefined ? where : and(where, 'status = ?', status)))
}

/**
 * Conditions for walks that together find the tasks as they were at a position. A task that had ended by then still has
 * the same status in its row. `unfinished` finds the tasks that had not ended.
 */
const walksThen = (
  where: Where,
  { statuses, error }: TaskFilter,
  at: number,
  unfinished: Unfinished,
): Where[] => {
  const isAny = statuses.length === 0 && error === undefined
  if (isAny) return [where]
  const wanted = statuses.length === 0 ? (['failed'] as const) : statuses
  const ends = wanted.filter(one => (error === undefined ? isTerminal(one) : one === 'failed'))
  const open = error === undefined ? wanted.filter(one => !isTerminal(one)) : []
  return [
    ...ends.map(one => and(and(where, 'status = ?', one), 'ended_position <= ?', at)),
    ...unfinished(where, at, open),
  ]
}

type Unfinished = (where: Where, at: number, statuses: TaskStatus[]) => Where[]

/** The most hexadecimal digits that the distance between two positions has. */
const mostDigits = 10
/**
 * Conditions for walks that together find the tasks that were deleted after a position. A task that was shown for a
 * distance of so many digits, and was there at the position, was created at most that distance before it. The deleted
 * tasks of a user or a session have an index of their own.
 */
const deletedSince = (where: Where, at: number): Where[] => {
  const deleted = and({ ...where, sql: ['deleted = 1', ...where.sql] }, 'deleted_position > ?', at)
  if (['user_id = ?', 'session_id = ?'].some(one => where.sql.includes(one))) return [deleted]
  return Array.from({ length: mostDigits }, (_, n) =>
    and(and(deleted, 'shown = ?', n + 1), 'position > ?', at - 16 ** (n + 1)),
  )
}

/** Conditions for walks along indexes that together find the tasks of a filter. */
export const walksOf = (where: Where, filter: TaskFilter, unfinished: Unfinished): Where[] => {
  const { asOf } = filter
  const there = { ...where, sql: ['deleted = 0', ...where.sql] }
  if (asOf === undefined) return walksNow(there, filter)
  const { position, withDeleted } = asOf
  const walks = withDeleted ? [there, ...deletedSince(where, position)] : [there]
  return walks.flatMap(one => walksThen(one, filter, position, unfinished))
}

/** The users whose tasks are wanted: none, which means all users, one, or two different ones, which find nothing. */
export const usersOf = ({ userId }: TaskFilter, own: string | undefined): string[] =>
  [...new Set([own, userId])].filter(user => user !== undefined)

/** `head`: the last position of the log. */
export const createFilters = (store: ReadStore, head: () => number) => {
  const firstFrom = store.prepare<[number], { position: number; created_at: number }>(
    'SELECT position, created_at FROM tasks WHERE position >= ? ORDER BY position LIMIT 1',
  )

  /** The position from which on every task was created at this time or later. Times in the log never go back. */
  const positionAt = (time: number): number => {
    let [low, high] = [0, head() + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = firstFrom.get(middle)
      if (row === undefined || row.created_at >= time) high = middle
      else low = row.position + 1
    }
    return low
  }

  /** The conditions for which an index finds the rows. `own`: the only user whose tasks are visible. */
  return (filter: TaskFilter, own: string | undefined): Where => {
    const { sessionId, includeSubtasks, createdAfter, createdBefore } = filter
    let where: Where = { sql: [], values: [] }
    for (const user of usersOf(filter, own)) where = and(where, 'user_id = ?', user)
    if (sessionId !== undefined) where = and(where, 'session_id = ?', sessionId)
    if (!includeSubtasks) where = and(where, 'subtask = 0')
    if (createdAfter !== undefined) where = and(where, 'position >= ?', positionAt(createdAfter))
    if (filter.asOf !== undefined) where = and(where, 'position <= ?', filter.asOf.position)
    if (createdBefore !== undefined) where = and(where, 'position < ?', positionAt(createdBefore))
    return where
  }
}
