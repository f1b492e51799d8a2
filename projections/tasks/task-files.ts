// Keeps the list of files that ended tasks asked for and that are not written yet.
import type { ReadStore } from '../store.ts'

/** A file that is not written yet, of an ended task. `task`: the position of the event that created the task. */
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
    /** Up to 100 files that are not written yet, in order, after the given file. */
    missing: (after?: Pick<TaskFile, 'task' | 'kind'>) => missing.all(after?.task ?? 0, after?.kind ?? ''),
    /** Removes a file from the list, because it is written or because it can never be written. */
    settle: ({ task, kind }: Pick<TaskFile, 'task' | 'kind'>): void => void settle.run(task, kind),
  }
}
