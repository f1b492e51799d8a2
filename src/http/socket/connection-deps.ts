// The dependencies of every WebSocket connection.
import type { Events } from '../../bus/events.ts'
import type { BodyBudget } from '../body/budget.ts'
import type { Gate, Serving, SessionDoor, TaskDoor } from '../doors.ts'
import type { Admission } from '../request/admission.ts'
import type { TaskCallDeps, TaskCalls } from '../routes/task-calls.ts'
import type { EventEncoder } from './event-channels.ts'
import type { InboxLimits } from './inbox.ts'
import type { Said, Unread } from './read-message.ts'

/** The parts of the HTTP surface's dependencies that connections use. */
export type SocketDeps = {
  events: Events
  serving: Serving
  gate: Pick<Gate, 'allowedOrigins' | 'requests'>
  tasks: TaskCallDeps & Pick<TaskDoor, 'nextFrame'>
  sessions: Pick<SessionDoor, 'sessions'>
}

export type Door = {
  deps: SocketDeps
  calls: TaskCalls
  read: (message: Unread) => Said
  encode: EventEncoder
  budget: BodyBudget
  admission: Admission
  inbox: InboxLimits
  /** Milliseconds within which a connection must authenticate. */
  authMs: number
  /** Counts an answered message for the metrics, by its type and its outcome. */
  count: (type: string, outcome: 'ok' | 'refused' | 'failed') => void
}
