// Finds the tasks that were unfinished at a position of the log, without reading those that ended long before.
//
// Most tasks end soon after their creation, so they are among the rows just before the position. The row of each longer
// task has the length of its life, rounded down to a power of two. A task of one such length that was unfinished at the
// position was created at most twice that length before the position. So a query reads few rows besides those that it
// finds.
import type { TaskStatus } from '../../src/contract/wire.ts'
import type { ReadStore } from '../store.ts'
import { and, type Where } from './filters.ts'

/** A life counts as long from 2 to this power on. */
const longFrom = 12

/** The power of two of a long life, from the position of the creation to that of the end; null: the life is short. */
export const lifeOf = (created: number, ended: number): number | null => {
  const power = Math.floor(Math.log2(Math.max(1, ended - created)))
  return power < longFrom ? null : power
}

/**
 * The status of an unfinished task at a position. When a task starts at once, its first append stores three events, and
 * the third one makes its status `working`. `task_moves` has all other moves.
 */
const statusThen = (at: number): string => `coalesce(
  (SELECT m.status FROM task_moves m WHERE m.task = tasks.position AND m.position <= ${at}
   ORDER BY m.position DESC LIMIT 1),
  CASE WHEN ${at} < tasks.position + 2 THEN 'created' ELSE 'working' END)`

export const createLives = (store: ReadStore) => {
  const lives = store.prepare<[], number>('SELECT DISTINCT life FROM tasks WHERE life IS NOT NULL').pluck()

  /** Conditions for walks that together find the tasks that had one of these unfinished statuses at a position. */
  return (where: Where, at: number, statuses: TaskStatus[]): Where[] => {
    if (statuses.length === 0) return []
    const marks = statuses.map(() => '?').join(', ')
    const then = and(where, `${statusThen(at)} IN (${marks})`, ...statuses)
    const ended = and(then, 'ended_position > ?', at)
    const since = (power: number) => at - 2 ** power
    return [
      and(then, 'ended_at IS NULL'),
      and(and(ended, 'position > ?', since(longFrom)), 'life IS NULL'),
      ...lives.all().map(life => and(and(ended, 'life = ?', life), 'position > ?', since(life + 1))),
    ]
  }
}
export type Lives = ReturnType<typeof createLives>
