// Puts one row without content in the place of an erased task, so that the id of the task remains a valid cursor, and
// no other task gets the id. The row is the same whether it was written when the task was erased, or made from the log
// later.
import { isTaskStream, taskIdOf } from '../../src/contract/task-stream.ts'
import { createErasedStreams } from '../erased.ts'
import type { Eraser } from '../erasing/table.ts'
import { rowInserter } from '../row-writer.ts'
import type { ReadStore } from '../store.ts'
import { sumOf, sumOfRow } from '../sums.ts'
import { blankKeys, erasedMark } from './schema.ts'
import { type CountKey, createCountWriter } from './stored-counts.ts'

type Place = { position: number; id: string; user_id: string }

const createBlankRows = (store: ReadStore) => {
  // INSERT OR REPLACE would keep the old pages in a temporary file, with the texts that are erased.
  const remove = store.prepare('DELETE FROM tasks WHERE position = ?')
  const put = rowInserter(store, 'tasks')
  const sum = sumOf('{}')
  const empty = {
    fields: '{}',
    sum,
    summary: '{}',
    summary_sum: sum,
    inputs: '[]',
    created_at: 0,
    has_key: 1,
  }
  return ({ position, id, user_id }: Place): void => {
    remove.run(position)
    const keys = { ...blankKeys, id, user_id }
    put({ position }, keys, empty, { row_sum: sumOfRow(keys, {}) })
  }
}

/** Removes the rows of a task, and leaves a row without content. */
export const taskEraser = (store: ReadStore): Eraser => {
  const counts = createCountWriter(store)
  const rowOf = store.prepare<[string], Place & CountKey>(
    'SELECT position, id, user_id, agent, subtask, deleted, status FROM tasks WHERE id = ?',
  )
  const removals = ['items', 'task_moves', 'saved_folds', 'steps', 'task_files', 'talking_tasks'].map(table =>
    store.prepare(`DELETE FROM ${table} WHERE task = ?`),
  )
  const blank = createBlankRows(store)

  return stream => {
    if (!isTaskStream(stream)) return
    const id = taskIdOf(stream)
    const row = rowOf.get(id)
    if (row === undefined || row.deleted === erasedMark) return
    const { user_id, agent, subtask, deleted, status } = row
    counts.move({ user_id, agent, subtask, deleted, status }, undefined)
    counts.write()
    for (const remove of removals) remove.run(row.position)
    blank(row)
  }
}

/** Writes the rows of tasks that were erased before the read models were made. */
export const createErasedTasks = (store: ReadStore) => {
  const blank = createBlankRows(store)
  const streams = createErasedStreams(isTaskStream)
  return {
    ...streams,
    /** Called when the rows of all other events are written. */
    write(): void {
      for (const { stream, position, owner } of streams.take())
        blank({ position, id: taskIdOf(stream), user_id: owner })
    },
  }
}
