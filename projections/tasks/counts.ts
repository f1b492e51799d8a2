// Counts tasks by status and by agent: from stored numbers when these know every filter, otherwise row by row.
import type { Pause } from '../../src/fairness/slices.ts'
import { fitsOf, type TaskFilter, usersOf, type Where, walksOf } from './filters.ts'
import type { StoredCounts } from './stored-counts.ts'
import { sliceRows, type TaskWalk } from './walk.ts'

export type TaskCounts = {
  total: number
  by_status: Record<string, number>
  by_agent: Record<string, Record<string, number>>
}

const add = (counts: TaskCounts, agent: string, status: string, tasks: number): void => {
  counts.total += tasks
  counts.by_status[status] = (counts.by_status[status] ?? 0) + tasks
  const own = counts.by_agent[agent] ?? {}
  own[status] = (own[status] ?? 0) + tasks
  counts.by_agent[agent] = own
}

const noCounts = (): TaskCounts => ({ total: 0, by_status: {}, by_agent: {} })

/** Whether the stored numbers know every filter. Of those for which each row is checked, they know only the agent. */
const isStored = (filter: TaskFilter): boolean => {
  const { sessionId, createdAfter, createdBefore, asOf } = filter
  const isOfIndex = [sessionId, createdAfter, createdBefore, asOf].some(each => each !== undefined)
  return !isOfIndex && fitsOf({ ...filter, agent: undefined }) === undefined
}

/** The tasks that fit the user, the agent and the statuses of a filter. Its other filters do not count. */
const storedOf = (stored: StoredCounts, filter: TaskFilter, own: string | undefined): TaskCounts => {
  const { agent: wanted, statuses, includeSubtasks } = filter
  const counts = noCounts()
  const [user, other] = usersOf(filter, own)
  if (other !== undefined) return counts
  const fitting = stored(user).filter(
    ({ agent, subtask, deleted, status }) =>
      deleted === 0 &&
      (includeSubtasks || subtask === 0) &&
      (wanted === undefined || agent === wanted) &&
      (statuses.length === 0 || (statuses as string[]).includes(status)),
  )
  fitting.sort((a, b) => (a.status < b.status ? -1 : a.status > b.status ? 1 : 0))
  for (const { agent, status, tasks } of fitting) add(counts, agent, status, tasks)
  return counts
}

/** The most tasks of today that a filter can find. Only the user, the agent and the statuses are looked at. */
export const mostOf = (stored: StoredCounts, filter: TaskFilter, own: string | undefined): number =>
  storedOf(stored, filter, own).total

/** `where`: the conditions of the filter for which an index finds the rows. */
export const createTaskCount =
  ({ prepared, inSlices, reading }: TaskWalk, stored: StoredCounts) =>
  async (
    filter: TaskFilter,
    own: string | undefined,
    where: () => Where,
    pause: Pause,
  ): Promise<TaskCounts> => {
    if (isStored(filter)) return reading(() => storedOf(stored, filter, own))
    const counts = noCounts()
    const fits = fitsOf(filter) ?? { sql: ['1'], values: [] }
    for (const walk of walksOf(reading(where), filter, () => [])) {
      await inSlices(walk, 'desc', pause, ({ sql, values }) => {
        const rows = prepared<{ status: string; agent: string; rows: number; last: number; tasks: number }>(
          `SELECT status, agent, count(*) AS rows, min(position) AS last, sum(fits) AS tasks FROM (
             SELECT status, agent, position, ${fits.sql.join(' AND ')} AS fits
             FROM tasks WHERE ${sql.join(' AND ')} ORDER BY position DESC LIMIT ${sliceRows}
           ) GROUP BY status, agent`,
        ).all(...fits.values, ...values)
        for (const { status, agent, tasks } of rows) if (tasks > 0) add(counts, agent, status, tasks)
        const seen = rows.reduce((sum, row) => sum + row.rows, 0)
        return { rows: seen, last: Math.min(...rows.map(row => row.last)), isEnough: false }
      })
    }
    return counts
  }
