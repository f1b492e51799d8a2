// The events in the stream of a task. Each event can be understood without the others. No event repeats a whole text or
// a whole task. The number of frames that an event gives in the task's public stream follows from the event alone
// (src/history/frames.ts). What may change here: docs/decisions/50-what-a-stored-event-once-gave.md
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { approvalEvents } from '../task-events/approvals.ts'
import { callEvents } from '../task-events/calls.ts'
import { groupChatEvents } from '../task-events/group-chat.ts'
import { inputEvents } from '../task-events/inputs.ts'
import { itemEvents } from '../task-events/items.ts'
import { lifecycleEvents } from '../task-events/lifecycle.ts'
import { stepEvents } from '../task-events/steps.ts'

export type { Answer, Asks, Question } from '../task-events/calls.ts'
export { asked, mostAsks, type WaitingCall } from '../task-events/inputs.ts'
export type { ItemKind, OpenItem, PartKind, TextItemKind, TextPartKind } from '../task-events/items.ts'
export type { Compressed, CutEnd, ModelRequest, ModelResponse } from '../task-events/model-call.ts'
export type { StoredEntry, StoredMachine } from '../task-events/steps.ts'

const payloads = {
  ...lifecycleEvents,
  ...stepEvents,
  ...itemEvents,
  ...callEvents,
  ...approvalEvents,
  ...inputEvents,
  ...groupChatEvents,
} satisfies Record<string, TProperties>

export type TaskEventType = keyof typeof payloads
type Data = { [T in TaskEventType]: Static<Type.TObject<(typeof payloads)[T]>> }
export type TaskEvent = { [T in TaskEventType]: { type: T; data: Data[T] } }[TaskEventType]
export type TaskEventData<T extends TaskEventType> = Data[T]

/** The schema of each event's payload, by its type. */
export const taskEventSchemas: Record<TaskEventType, TSchema> = Object.fromEntries(
  Object.entries(payloads).map(([type, data]) => [type, Type.Object(data)]),
) as unknown as Record<TaskEventType, TSchema>

/** The `schema_version` of each event. */
export const taskEventVersion = 1
