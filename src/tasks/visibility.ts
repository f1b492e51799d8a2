// Decides which tasks a principal may see. For other tasks the answer is the same as if they did not exist.
import type { Current } from '../../projections/current.ts'
import { erasedMark } from '../../projections/tasks/erased.ts'
import type { TaskRow } from '../../projections/tasks/rows.ts'
import { type UnwrittenLog, type UnwrittenRow, unwrittenRow } from '../../projections/tasks/unwritten.ts'
import { isBehind, Refusal } from '../contract/refusals.ts'
import { DamagedEvent, type Log, StorageFailure } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { Principal } from '../contract/token-events.ts'

const mayTouch = (principal: Principal, row: { user_id: string }) =>
  principal.userId === undefined || principal.userId === row.user_id

export const createVisibility = (
  { currentFor }: Current,
  byId: (id: string) => TaskRow | undefined,
  log: Pick<Log, 'revisionOf'> & UnwrittenLog,
) => {
  /** The row of a task, once the tables hold everything of its stream. */
  const rowById = (id: string): TaskRow | undefined => currentFor(taskStream(id), () => byId(id))

  /** The row of a task. While the tables cannot be written, it is made from the log if the principal may see it. */
  const shownRow = (principal: Principal, id: string): TaskRow | UnwrittenRow | undefined => {
    try {
      return rowById(id)
    } catch (error) {
      if (!isBehind(error)) throw error
      return unwrittenRow(log, taskStream(id), user_id => mayTouch(principal, { user_id }))
    }
  }

  /** Whether the log finds the stream of a task. When a task with a row has no stream, the log is damaged. */
  const hasEvents = (stream: string): boolean => {
    try {
      return log.revisionOf(stream) !== -1
    } catch (error) {
      if (!(error instanceof StorageFailure)) throw error
      return false
    }
  }

  return {
    rowById,
    /**
     * The row of a task that this principal may see. `withDeleted`: also the row of a deleted task. Throws DamagedEvent
     * when the task has a row, but no events in the log.
     */
    visible(principal: Principal, taskId: string, withDeleted = false): TaskRow | UnwrittenRow {
      const row = shownRow(principal, taskId)
      if (row === undefined || !mayTouch(principal, row)) throw new Refusal('TaskNotFound')
      // The tables may lack an erasure, since its event belongs to no task.
      const isErased = () => row.deleted === erasedMark || log.erasedBy(row.position) !== undefined
      if (row.deleted !== 0 && (!withDeleted || isErased())) throw new Refusal('TaskNotFound')
      if (!hasEvents(taskStream(taskId))) throw new DamagedEvent(row.position, 'is not found in its stream')
      return row
    },
    isVisible: (principal: Principal, row: TaskRow): boolean => row.deleted === 0 && mayTouch(principal, row),
  }
}
