// Finds out which of many tasks can be erased together.
import type { ErasableTask } from '../../projections/tasks/ended-rows.ts'
import type { Pause } from '../fairness/slices.ts'
import { isHindered, type ObstacleDeps } from './check.ts'
import type { KinIndex } from './dependants.ts'
import type { EraseDeps } from './erase.ts'

type Deps = ObstacleDeps & Pick<EraseDeps, 'rows'> & { pause: Pause }

/** Returns the tasks that can be erased: they and all their dependants are given here, have ended, and have no hold. */
export const freeOf = async (
  deps: Deps,
  index: KinIndex,
  tasks: readonly ErasableTask[],
): Promise<ErasableTask[]> => {
  const { rows, pause } = deps
  const free = new Map(tasks.map(row => [row.id, row]))
  /** For each task, the given tasks that can only be erased together with it. */
  const needing = new Map<string, string[]>()
  const staying: string[] = []
  index.expect(tasks)
  for (const row of tasks) {
    const found = await index.of(row)
    let stays = isHindered(deps, row, found.sessions)
    for (const { id } of found.tasks) {
      const others = needing.get(id)
      if (others !== undefined) others.push(row.id)
      else if (free.has(id)) needing.set(id, [row.id])
      else if (rows.byId(id) !== undefined) stays = true // otherwise it is erased already
    }
    if (stays) staying.push(row.id)
    await pause()
  }
  // When a task stays, all tasks that would have to be erased together with it stay, too. More are added in this loop.
  for (const id of staying) if (free.delete(id)) staying.push(...(needing.get(id) ?? []))
  return [...free.values()]
}
