// The moves of a task from status to status.
import type { TaskEventType } from './task-events.ts'
import type { TaskStatus } from './wire.ts'

/**
 * The 19 moves of the interface, and the creation: where each event leads. Replay and projections use this
 * table; the machine (actors/task/machine.ts) is the same lifecycle as an XState chart, and a test holds them
 * equal for every pair of state and fact.
 */
export type Lifecycle = TaskStatus | 'absent'
const moves: Partial<Record<TaskEventType, Partial<Record<Lifecycle, TaskStatus>>>> = {
  TaskCreated: { absent: 'created' },
  TaskQueued: { created: 'queued' },
  TaskStarted: { created: 'working', queued: 'working' },
  InputRequired: { working: 'input-required' },
  InputAnswered: { 'input-required': 'working' },
  TaskPaused: { working: 'paused' },
  TaskResumed: { paused: 'working' },
  TaskCompleted: { working: 'completed' },
  TaskFailed: { working: 'failed' },
  TaskCanceled: {
    created: 'canceled',
    queued: 'canceled',
    working: 'canceled',
    'input-required': 'canceled',
    paused: 'canceled',
  },
  TaskExpired: {
    created: 'expired',
    queued: 'expired',
    working: 'expired',
    'input-required': 'expired',
    paused: 'expired',
  },
}

/** The status after a fact; a fact that is no move leaves it as it is. A move that the table lacks is a fault. */
export const statusAfter = (status: Lifecycle, type: TaskEventType): Lifecycle => {
  const table = moves[type]
  if (table === undefined) return status
  const next = table[status]
  if (next === undefined) throw new Error(`${type} is no move from ${status}`)
  return next
}
export const isMove = (type: TaskEventType): boolean => moves[type] !== undefined

/** The facts after which a task needs nothing any more. */
export const taskEnds: ReadonlySet<string> = new Set<TaskEventType>([
  'TaskCompleted',
  'TaskFailed',
  'TaskCanceled',
  'TaskExpired',
])
