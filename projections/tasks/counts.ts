// Counts tasks by status and by agent.
import type { Pause } from '../../src/fairness/slices.ts'
import { fitsOf, type TaskFilter, type Where, walksOf } from './filters.ts'
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

/** `all`: the conditions of the filter for which an index finds the rows. */
export const createTaskCount =
  ({ prepared, inSlices }: TaskWalk) =>
  async (all: Where, filter: TaskFilter, pause: Pause): Promise<TaskCounts> => {
    const counts: TaskCounts = { total: 0, by_status: {}, by_agent: {} }
    const fits = fitsOf(filter) ?? { sql: ['1'], values: [] }
    for (const where of walksOf(all, filter, () => [])) {
      await inSlices(where, 'desc', pause, ({ sql, values }) => {
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
