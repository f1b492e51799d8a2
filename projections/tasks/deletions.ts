// Marks tasks as deleted whose events are not in memory. A deletion changes nothing else of a task, so its events need
// not be read.
import type { ReadStore } from '../store.ts'
import { soundRow, sumOfRow, type TaskKeys } from '../sums.ts'
import type { CountWriter } from './kept-counts.ts'
import { rowColumns } from './rows.ts'

type Row = TaskKeys & { row_sum: number; task: number }

export const createDeletions = (store: ReadStore, counts: CountWriter) => {
  const rowOf = store.prepare<[string], Row>(`SELECT ${rowColumns}, position AS task FROM tasks WHERE id = ?`)
  const mark = store.prepare(
    'UPDATE tasks SET deleted = 1, deleted_position = ?, row_sum = ? WHERE position = ?',
  )
  let due: { id: string; position: number }[] = []
  return {
    /** `position`: of the event that deleted the task. */
    follow: (id: string, position: number): void => void due.push({ id, position }),
    write(): void {
      for (const { id, position } of due) {
        const row = rowOf.get(id)
        if (row === undefined) throw new Error(`the deleted task ${id} has no row`)
        if (row.deleted !== 0) continue // it is erased
        const { user_id, agent, subtask, status } = soundRow(row)
        mark.run(position, sumOfRow<TaskKeys>({ ...row, deleted: 1 }, {}), row.task)
        const key = { user_id, agent, subtask, status }
        counts.move({ ...key, deleted: 0 }, { ...key, deleted: 1 })
      }
      due = []
    },
    forget(): void {
      due = []
    },
  }
}
