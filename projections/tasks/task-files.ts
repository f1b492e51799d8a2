// Files of ended tasks that are still to be written.
import type { ReadStore } from '../store.ts'

/** A file of a task that has ended and is not written yet. `task`: the position that created its task. */
export type TaskFile = {
  task: number
  kind: 'rollouts' | 'log'
  id: string
  user_id: string
  folder: string
}

export const createTaskFileRows = (store: ReadStore) => {
  const missing = store.prepare<[number, string], TaskFile>(
    `SELECT f.task, f.kind, t.id, t.user_id, f.folder FROM task_files f JOIN tasks t ON t.position = f.task
     WHERE (f.task, f.kind) > (?, ?) ORDER BY f.task, f.kind LIMIT 100`,
  )
  const settle = store.prepare<[number, string]>('DELETE FROM task_files WHERE task = ? AND kind = ?')
  return {
    /** Up to 100 files that are still to be written, in order, after the given one. */
    missing: (after?: Pick<TaskFile, 'task' | 'kind'>) => missing.all(after?.task ?? 0, after?.kind ?? ''),
    /** Removes a file from the list: it is written, or never will be. */
    settle: ({ task, kind }: Pick<TaskFile, 'task' | 'kind'>): void => void settle.run(task, kind),
  }
}
