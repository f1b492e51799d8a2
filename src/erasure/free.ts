// Finds out which of many tasks can be erased together.
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import { obstaclesOf } from './check.ts'
import { type Closure, closureOf } from './dependants.ts'
import type { EraseDeps } from './erase.ts'

/** Returns the tasks that can be erased: they and all their dependants are given here, have ended, and have no hold. */
export const freeOf = async (
  { log, rows, holds, sessionQueries }: Pick<EraseDeps, 'log' | 'rows' | 'holds' | 'sessionQueries'>,
  tasks: readonly ErasableTask[],
): Promise<ErasableTask[]> => {
  const closures = new Map<string, Closure>()
  for (const row of tasks) closures.set(row.id, await closureOf({ log, rows }, [row]))
  const isBlocked = (closure: Closure): boolean => {
    const found = obstaclesOf({ holds, sessionRow: sessionQueries.rowById }, closure, true)
    return found.holds.length + found.unfinished.tasks.length + found.unfinished.env_sessions.length > 0
  }
  for (const [id, closure] of closures) if (isBlocked(closure)) closures.delete(id)
  // When a task stays, all tasks that would have to be erased together with it stay, too.
  for (let before = -1; before !== closures.size; ) {
    before = closures.size
    for (const [id, { tasks: needed }] of closures)
      if ([...needed.keys()].some(other => !closures.has(other))) closures.delete(id)
  }
  return tasks.filter(({ id }) => closures.has(id))
}
