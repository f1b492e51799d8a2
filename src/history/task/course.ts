// The part that every view of a task has: the place of its newest event in the log, its status, and important times.

import type { Lifecycle } from '../../contract/charts/task-chart.ts'
import { firstState, stateAfter, statusIn, type TaskState } from '../../contract/charts/task-state.ts'
import type { RecordedTaskEvent } from '../../contract/decoders/task.ts'
import type { TaskEventData } from '../../contract/events/task-events.ts'
import { isTerminal } from '../../contract/wire.ts'
import { millisOf } from './millis.ts'

export type Course = {
  revision: number
  position: number
  /** The state in the chart. */
  state: TaskState
  /** The outermost state of `state`. */
  status: Lifecycle
  created: TaskEventData<'TaskCreated'> | undefined
  createdAt: number
  /** The time when the agent began, in milliseconds since 1970; 0: the agent has not begun. */
  startedAt: number
  /** Its agent sees the tasks of its session that completed up to this position; undefined: it may see others. */
  seenUntil: number | undefined
  /** The time (milliseconds) and the position of the event that ended the task. A later deletion does not count. */
  ended: { at: number; position: number } | undefined
  /** The time of the newest event, in milliseconds since 1970. */
  changedAt: number
  /** The number of the next frame. */
  seq: number
  deleted: boolean
}

export const beginCourse = (view: Course): void => {
  view.revision = -1
  view.position = 0
  view.state = firstState
  view.status = statusIn(firstState)
  view.created = undefined
  view.createdAt = 0
  view.startedAt = 0
  view.seenUntil = undefined
  view.ended = undefined
  view.changedAt = 0
  view.seq = 0
  view.deleted = false
}

/** Moves the view to the state after an event. Throws when the chart does not allow the event in the current state. */
export const move = (view: Course, { type, data }: RecordedTaskEvent): void => {
  view.state = stateAfter(view.state, type, data)
  view.status = statusIn(view.state)
}

/** Applies the event to the other fields. Called after all other parts of the view have applied it. */
export const arrive = (view: Course, { position, type, header, data }: RecordedTaskEvent): void => {
  const at = millisOf(header.time)
  if (type === 'TaskCreated') {
    view.created = data
    view.createdAt = at
  }
  if (type === 'TaskStarted') {
    view.startedAt = at
    view.seenUntil = data.seen_until
  }
  if (type === 'TaskDeleted') view.deleted = true
  view.revision = header.revision
  view.position = position
  view.seq = (header.seq ?? 0) + (header.frames ?? 0)
  view.changedAt = at
  if (view.ended === undefined && isTerminal(view.status)) view.ended = { at, position }
}
