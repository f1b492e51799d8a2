// What connections are made of.
import type { Admission } from '../admission.ts'
import type { BodyBudget } from '../body/budget.ts'
import type { Parts } from '../parts.ts'
import type { TaskCallParts, TaskCalls } from '../task-calls.ts'
import type { EventEncoder } from './event-channels.ts'
import type { InboxLimits } from './inbox.ts'
import type { Said, Unread } from './read-message.ts'

/** What a connection needs of the parts. */
export type SocketParts = TaskCallParts &
  Pick<
    Parts,
    | 'allowedOrigins'
    | 'events'
    | 'fault'
    | 'longAnswers'
    | 'newId'
    | 'nextFrame'
    | 'openStreams'
    | 'principals'
    | 'quotas'
    | 'requests'
    | 'sessions'
    | 'stopping'
    | 'tickets'
  >

export type Door = {
  parts: SocketParts
  calls: TaskCalls
  read: (message: Unread) => Said
  encode: EventEncoder
  budget: BodyBudget
  admission: Admission
  inbox: InboxLimits
  /** How long it may take to say who one is. */
  authMs: number
  /** Counts a message that was answered. */
  count: (type: string, outcome: 'ok' | 'refused' | 'failed') => void
}
