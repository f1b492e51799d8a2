// A task in the memory of the projection, and the function that loads it from the log.
import { taskEvents } from '../../src/contract/decoders/task.ts'
import type { Log, Recorded } from '../../src/contract/stored.ts'
import { taskIdOf } from '../../src/contract/task-stream.ts'
import type { TaskStatus } from '../../src/contract/wire.ts'
import { emptyShown, evolveShown, type ShownTask } from '../../src/history/task-view.ts'
import type { ReadStore } from '../store.ts'
import { erasedMark } from './schema.ts'

/**
 * A task in memory. `row` is the position of the event that created the task, and the key of its row. `written`: the
 * status, the column `deleted` and the items that the tables hold already. `onlyTalks`: since the last write, events have only added text to
 * items in progress.
 */
export type Followed = {
  view: ShownTask
  row: number
  principal: string
  written: { status: TaskStatus | undefined; deleted: number; items: unknown[] }
  onlyTalks: boolean
}

/** The task of the event that creates it. */
export const newTask = ({ position, header }: Recorded): Followed => ({
  view: emptyShown(),
  row: position,
  principal: header.principal,
  written: { status: undefined, deleted: 0, items: [] },
  onlyTalks: false,
})

export const createTaskLoader = (store: ReadStore, streamPages: Log['streamPages']) => {
  type Row = { position: number; status: TaskStatus; principal: string; deleted: number }
  const rowOf = store.prepare<[string], Row>(
    'SELECT position, status, principal, deleted FROM tasks WHERE id = ?',
  )
  /**
   * Folds the events of a task for which `isPast` is false. The tables contain these events, perhaps without the newest
   * streamed text. Undefined for an erased task.
   */
  return (stream: string, isPast: (event: Recorded) => boolean): Followed | undefined => {
    const row = rowOf.get(taskIdOf(stream))
    if (row?.deleted === erasedMark) return undefined
    const view = emptyShown()
    for (const page of streamPages(stream)) {
      for (const event of page) if (!isPast(event)) evolveShown(view, taskEvents.read(event))
    }
    if (row === undefined || row.status !== view.status) {
      throw new Error(`the row of ${stream} says ${row?.status ?? 'nothing'} after revision ${view.revision}`)
    }
    const items = view.output.map(item => (item.status === 'in_progress' ? undefined : item))
    const written = { status: row.status, deleted: row.deleted, items }
    return { view, row: row.position, principal: row.principal, written, onlyTalks: true }
  }
}
