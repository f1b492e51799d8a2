// Pages of tasks, and counts of tasks, by the filters of GET /tasks.
import { nextTurn, type Pause } from '../../src/fairness/slices.ts'
import { largeFrom, wholeAtMost } from '../../src/platform/pieces.ts'
import type { ReadStore } from '../store.ts'
import { soundRow, type TaskKeys } from '../sums.ts'
import { createTaskCount, type TaskCounts } from './counts.ts'
import { and, createFilters, fitsOf, type TaskFilter, type Where, walksOf } from './filters.ts'
import type { StoredTask, StoredTasks } from './stored.ts'
import { createTaskWalk } from './walk.ts'

export type ListWish = TaskFilter & {
  startingAfter: string | undefined
  endingBefore: string | undefined
  limit: number
  order: 'asc' | 'desc'
  /** Whether each task is shown with its summary in place of its output. */
  isSummary?: boolean
}
export type TaskPage = { tasks: ({ id: string } & StoredTask)[]; more: boolean } | { unknownCursor: string }

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
  const whereOf = createFilters(store, head)
  const walk = createTaskWalk({ store, reading, isCurrent })
  const count = createTaskCount(walk)

  const cursorOf = (wish: ListWish, where: Where, own: string | undefined): Where | undefined => {
    const cursor = wish.startingAfter ?? wish.endingBefore
    if (cursor === undefined) return where
    const row = rowById(cursor)
    if (row === undefined || (own !== undefined && row.user_id !== own)) return undefined
    const isDown = (wish.order === 'desc') === (wish.startingAfter !== undefined)
    return and(where, isDown ? 'position < ?' : 'position > ?', row.position)
  }

  /** The tasks at these positions. When their texts together are long, they are read in pieces. */
  const tasksAt = (positions: number[], isSummary: boolean, pause: Pause) => {
    let before = 0
    return positions.map(at => {
      const row = rowAt.get(at)
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

  return {
    /**
     * A page of tasks as JSON texts, and whether more tasks follow in the direction of reading. `own`: the only user
     * whose tasks are visible, also as cursors.
     */
    async list(wish: ListWish, own?: string, pause: Pause = nextTurn): Promise<TaskPage> {
      const where = reading(() => cursorOf(wish, whereOf(wish, own), own))
      if (where === undefined) return { unknownCursor: wish.startingAfter ?? wish.endingBefore ?? '' }
      // `ending_before` asks for the tasks right before the cursor: they are read backwards from the cursor, and then
      // reversed.
      const backwards = wish.endingBefore !== undefined
      const order = backwards === (wish.order === 'desc') ? 'asc' : 'desc'
      const wanted = wish.limit + 1
      const found: number[] = []
      for (const each of walksOf(where, wish)) {
        found.push(...(await walk.firstPositions(each, fitsOf(wish), order, wanted, pause)))
      }
      found.sort((a, b) => (order === 'asc' ? a - b : b - a))
      const positions = found.slice(0, wish.limit)
      if (backwards) positions.reverse()
      const tasks = reading(() => tasksAt(positions, wish.isSummary === true, pause))
      return { tasks, more: found.length > wish.limit }
    },

    /** How many tasks match, by status and by agent. */
    async count(filter: TaskFilter, own?: string, pause: Pause = nextTurn): Promise<TaskCounts> {
      const all = reading(() => whereOf(filter, own))
      return count(all, filter, pause)
    },
  }
}
export type TaskLists = ReturnType<typeof createTaskLists>
