// Pages of tasks, and how many there are, by the filters of GET /tasks. What an index finds is read at once; rows that must
// be looked at one by one are read slice by slice, so that nobody else waits while somebody searches a million tasks.

import { Refusal } from '../../src/contract/refusals.ts'
import { nextTurn, type Pause } from '../../src/fairness/slices.ts'
import { largeFrom, wholeAtMost } from '../../src/platform/pieces.ts'
import type { ReadStore, Statement } from '../store.ts'
import { soundRow, type TaskKeys } from '../sums.ts'
import { and, createFilters, fitsOf, type TaskFilter, type Where, walksOf } from './filters.ts'
import type { StoredTask, StoredTasks } from './stored.ts'

export type ListWish = TaskFilter & {
  startingAfter: string | undefined
  endingBefore: string | undefined
  limit: number
  order: 'asc' | 'desc'
  /** Each with its summary in the place of its output. */
  isSummary?: boolean
}
export type TaskPage = { tasks: ({ id: string } & StoredTask)[]; more: boolean } | { unknownCursor: string }
export type TaskCounts = {
  total: number
  by_status: Record<string, number>
  by_agent: Record<string, Record<string, number>>
}

/** Rows that are looked at in one slice. */
const sliceRows = 1000

type Order = 'asc' | 'desc'
type Parts = {
  store: ReadStore
  stored: StoredTasks
  reading: <T>(ask: () => T) => T
  isCurrent: () => boolean
  rowById: (id: string) => { position: number; user_id: string } | undefined
  /** The last position of the log. */
  head: () => number
}

export const createTaskLists = ({ store, stored, reading, isCurrent, rowById, head }: Parts) => {
  const rowAt = store.prepare<[number], TaskKeys & { row_sum: number }>(
    `SELECT id, user_id, session_id, status, agent, subtask, deleted, principal, digest, request_id, ended_at,
       rollouts, row_sum FROM tasks WHERE position = ?`,
  )
  const statements = new Map<string, Statement<unknown[], unknown>>()
  const prepared = <Row>(sql: string) => {
    const known = statements.get(sql) ?? store.prepare<unknown[], unknown>(sql)
    statements.set(sql, known)
    return known as Statement<unknown[], Row>
  }

  const whereOf = createFilters(store, head)

  /** Slices of rows in order, until one is not full or `take` wants no more; `take` gives the last position of its slice. */
  const inSlices = async (
    where: Where,
    order: Order,
    pause: Pause,
    take: (slice: Where) => { rows: number; last: number; isEnough: boolean },
  ): Promise<void> => {
    let slice = where
    for (;;) {
      const { rows, last, isEnough } = reading(() => take(slice))
      if (rows < sliceRows || isEnough) break
      slice = and(where, order === 'asc' ? 'position > ?' : 'position < ?', last)
      await pause()
    }
    if (!isCurrent()) throw new Refusal('ReadModelsBehind')
  }

  /** Positions of the first tasks that fit, in this order. */
  const walk = async (where: Where, fits: Where | undefined, order: Order, wanted: number, pause: Pause) => {
    const rest = `FROM tasks WHERE ${where.sql.join(' AND ')} ORDER BY position ${order} LIMIT ?`
    if (fits === undefined) {
      const find = prepared<{ position: number }>(`SELECT position ${rest}`)
      return reading(() => find.all(...where.values, wanted)).map(({ position }) => position)
    }
    const found: number[] = []
    await inSlices(where, order, pause, ({ sql, values }) => {
      const rows = prepared<{ position: number; fits: number }>(
        `SELECT position, ${fits.sql.join(' AND ')} AS fits
         FROM tasks WHERE ${sql.join(' AND ')} ORDER BY position ${order} LIMIT ${sliceRows}`,
      ).all(...fits.values, ...values)
      for (const row of rows) if (row.fits === 1) found.push(row.position)
      return { rows: rows.length, last: rows.at(-1)?.position ?? 0, isEnough: found.length >= wanted }
    })
    return found
  }

  const cursorOf = (wish: ListWish, where: Where, own: string | undefined): Where | undefined => {
    const cursor = wish.startingAfter ?? wish.endingBefore
    if (cursor === undefined) return where
    const row = rowById(cursor)
    if (row === undefined || (own !== undefined && row.user_id !== own)) return undefined
    const isDown = (wish.order === 'desc') === (wish.startingAfter !== undefined)
    return and(where, isDown ? 'position < ?' : 'position > ?', row.position)
  }

  /** The tasks at these positions; those that are long together are read in pieces as they are taken. */
  const tasksAt = (positions: number[], isSummary: boolean, pause: Pause) => {
    let before = 0
    return positions.map(at => {
      const row = rowAt.get(at)
      const read = () => {
        if (isSummary) return stored.summary(at, pause)
        // Beyond a large answer nobody asks how large it is.
        if (before > largeFrom) return { text: stored.pieces(at, pause), size: 0 }
        return stored.text(at, wholeAtMost - before, pause)
      }
      const task = read()
      before += task.size
      return { id: row === undefined ? '' : soundRow(row).id, ...task }
    })
  }

  return {
    /**
     * A page of tasks as JSON texts, and whether more follow in the direction of reading; `own`: the only user whose tasks and
     * cursors are known.
     */
    async list(wish: ListWish, own?: string, pause: Pause = nextTurn): Promise<TaskPage> {
      const where = reading(() => cursorOf(wish, whereOf(wish, own), own))
      if (where === undefined) return { unknownCursor: wish.startingAfter ?? wish.endingBefore ?? '' }
      // ending_before gives the page nearest the cursor: read away from it, then turned round.
      const backwards = wish.endingBefore !== undefined
      const order = backwards === (wish.order === 'desc') ? 'asc' : 'desc'
      const wanted = wish.limit + 1
      const found: number[] = []
      for (const each of walksOf(where, wish)) {
        found.push(...(await walk(each, fitsOf(wish), order, wanted, pause)))
      }
      found.sort((a, b) => (order === 'asc' ? a - b : b - a))
      const positions = found.slice(0, wish.limit)
      if (backwards) positions.reverse()
      const tasks = reading(() => tasksAt(positions, wish.isSummary === true, pause))
      return { tasks, more: found.length > wish.limit }
    },

    /** How many tasks fit, by status and by agent. */
    async count(filter: TaskFilter, own?: string, pause: Pause = nextTurn): Promise<TaskCounts> {
      const counts: TaskCounts = { total: 0, by_status: {}, by_agent: {} }
      const fits = fitsOf(filter) ?? { sql: ['1'], values: [] }
      const all = reading(() => whereOf(filter, own))
      for (const where of walksOf(all, filter)) {
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
    },
  }
}
export type TaskLists = ReturnType<typeof createTaskLists>

const add = (counts: TaskCounts, agent: string, status: string, tasks: number): void => {
  counts.total += tasks
  counts.by_status[status] = (counts.by_status[status] ?? 0) + tasks
  const own = counts.by_agent[agent] ?? {}
  own[status] = (own[status] ?? 0) + tasks
  counts.by_agent[agent] = own
}
