// Finds the tasks that match the filters of GET /tasks, and makes pages and counts of them.
import type { Pause } from '../../src/fairness/slices.ts'
import { yieldToLoop } from '../../src/platform/loop.ts'
import { largeFrom, wholeAtMost } from '../../src/platform/pieces.ts'
import type { ReadStore } from '../store.ts'
import { soundRow } from '../sums.ts'
import { createTaskCount, mostOf, type TaskCounts } from './counts.ts'
import { and, createFilters, fitsOf, type TaskFilter, type Where, walksOf } from './filters.ts'
import { createLives } from './lives.ts'
import { rowColumns } from './rows.ts'
import type { TaskKeys } from './schema.ts'
import type { StoredTask, StoredTasks } from './stored.ts'
import { createStoredCounts } from './stored-counts.ts'
import { createTaskWalk } from './walk.ts'

export type ListQuery = TaskFilter & {
  startingAfter: string | undefined
  endingBefore: string | undefined
  limit: number
  order: 'asc' | 'desc'
  /** Whether each task is shown with its summary in place of its output. */
  isSummary?: boolean
}
export type TaskPage = { tasks: ({ id: string } & StoredTask)[]; more: boolean } | { unknownCursor: string }

/**
 * A task at a position in the past. `hasEnded`: it had ended by that position, so it looked the same then as it does
 * now.
 */
export type PastTask = { id: string; position: number; hasEnded: boolean }
type PastPage = { tasks: PastTask[]; more: boolean } | { unknownCursor: string }

type Found = { positions: number[]; more: boolean } | { unknownCursor: string }

type Parts = {
  store: ReadStore
  stored: StoredTasks
  reading: <T>(ask: () => T) => T
  isCurrent: () => boolean
  rowById: (id: string) => { position: number; user_id: string } | undefined
  /** The last position of the log. */
  head: () => number
}

type SumRow = TaskKeys & { row_sum: number }
/** Reads the tasks at positions. When their texts together are long, they are read in pieces. */
const createTexts =
  (stored: StoredTasks, rowAt: (position: number) => SumRow | undefined) =>
  (positions: number[], isSummary: boolean, pause: Pause) => {
    let before = 0
    return positions.map(at => {
      const row = rowAt(at)
      const read = () => {
        if (isSummary) return stored.summary(at, pause)
        // The answer is known to be large already, so the size of this task does not matter.
        if (before > largeFrom) return { text: stored.pieces(at, pause), size: 0 }
        return stored.text(at, wholeAtMost - before, pause)
      }
      const task = read()
      before += task.size
      return { id: row === undefined ? '' : soundRow(row).id, ...task }
    })
  }

export const createTaskLists = ({ store, stored, reading, isCurrent, rowById, head }: Parts) => {
  const rowAt = store.prepare<[number], SumRow>(`SELECT ${rowColumns} FROM tasks WHERE position = ?`)
  const endAt = store
    .prepare<[number], number | null>('SELECT ended_position FROM tasks WHERE position = ?')
    .pluck()
  const pastRow = (position: number, at: number): PastTask[] => {
    const row = rowAt.get(position)
    if (row === undefined) return []
    return [{ id: soundRow(row).id, position, hasEnded: (endAt.get(position) ?? at + 1) <= at }]
  }
  const whereOf = createFilters(store, head)
  const walk = createTaskWalk({ store, reading, isCurrent })
  const counts = createStoredCounts(store)
  const count = createTaskCount(walk, counts)
  const unfinished = createLives(store)

  const cursorOf = (query: ListQuery, where: Where, own: string | undefined): Where | undefined => {
    const cursor = query.startingAfter ?? query.endingBefore
    if (cursor === undefined) return where
    const row = rowById(cursor)
    if (row === undefined || (own !== undefined && row.user_id !== own)) return undefined
    const isDown = (query.order === 'desc') === (query.startingAfter !== undefined)
    return and(where, isDown ? 'position < ?' : 'position > ?', row.position)
  }

  /**
   * How many tasks a page looks for: one more than it shows. No index finds the tasks of an agent, so the stored numbers say
   * how many there can be: when these are found, the rest of the tasks need not be looked at.
   */
  const wantedOf = (query: ListQuery, own: string | undefined): number => {
    const wanted = query.limit + 1
    const isOfNow = query.agent !== undefined && query.asOf === undefined
    return isOfNow ? Math.min(wanted, mostOf(counts, query, own)) : wanted
  }

  const tasksAt = createTexts(stored, at => rowAt.get(at))

  /** The positions of a page of tasks, and whether more tasks follow in the direction of reading. */
  const find = async (query: ListQuery, own: string | undefined, pause: Pause): Promise<Found> => {
    const where = reading(() => cursorOf(query, whereOf(query, own), own))
    if (where === undefined) return { unknownCursor: query.startingAfter ?? query.endingBefore ?? '' }
    // `ending_before` asks for the tasks right before the cursor: they are read backwards from the cursor, and then
    // reversed.
    const backwards = query.endingBefore !== undefined
    const order = backwards === (query.order === 'desc') ? 'asc' : 'desc'
    const wanted = reading(() => wantedOf(query, own))
    const found: number[] = []
    if (wanted === 0) return { positions: [], more: false }
    const walks = reading(() => walksOf(where, query, unfinished))
    for (const each of walks) {
      found.push(...(await walk.firstPositions(each, fitsOf(query), order, wanted, pause)))
    }
    found.sort((a, b) => (order === 'asc' ? a - b : b - a))
    const positions = found.slice(0, query.limit)
    if (backwards) positions.reverse()
    return { positions, more: found.length > query.limit }
  }

  return {
    /**
     * A page of tasks as JSON texts, and whether more tasks follow in the direction of reading. `own`: the only user
     * whose tasks are visible, also as cursors.
     */
    async list(query: ListQuery, own?: string, pause: Pause = yieldToLoop): Promise<TaskPage> {
      const found = await find(query, own, pause)
      if ('unknownCursor' in found) return found
      const { positions, more } = found
      return { tasks: reading(() => tasksAt(positions, query.isSummary === true, pause)), more }
    },

    /** A page of tasks as they were at a position of the log, which the query names. */
    async listThen(query: ListQuery, own?: string, pause: Pause = yieldToLoop): Promise<PastPage> {
      const found = await find(query, own, pause)
      if ('unknownCursor' in found) return found
      const { positions, more } = found
      const at = query.asOf?.position ?? head()
      return { tasks: reading(() => positions.flatMap(position => pastRow(position, at))), more }
    },
    /** How many tasks match, by status and by agent. */
    async count(filter: TaskFilter, own?: string, pause: Pause = yieldToLoop): Promise<TaskCounts> {
      return count(filter, own, () => whereOf(filter, own), pause)
    },
  }
}
export type TaskLists = ReturnType<typeof createTaskLists>
