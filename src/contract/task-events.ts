// The facts of a task: what its stream in the log holds. A fact tells enough to be understood alone; whole
// texts and whole tasks are never stored a second time. How many frames of the task's public stream a fact
// gives is known from the fact itself (src/history/frames.ts).
// A new field is optional, because stored events lack it: docs/decisions/50-what-a-stored-event-once-gave.md
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import { callEvents } from './task-events/calls.ts'
import { inputEvents } from './task-events/inputs.ts'
import { itemEvents } from './task-events/items.ts'
import { lifecycleEvents } from './task-events/lifecycle.ts'
import { stepEvents } from './task-events/steps.ts'

export type { ItemKind, OpenItem, PartKind, TextItemKind, TextPartKind } from './task-events/items.ts'
export type { Compressed, ModelRequest, ModelResponse } from './task-events/model-call.ts'
export type { Form } from './task-events/schema.ts'

const facts = {
  ...lifecycleEvents,
  ...stepEvents,
  ...itemEvents,
  ...callEvents,
  ...inputEvents,
} satisfies Record<string, TProperties>

export type TaskEventType = keyof typeof facts
type Data = { [T in TaskEventType]: Static<Type.TObject<(typeof facts)[T]>> }
export type TaskEvent = { [T in TaskEventType]: { type: T; data: Data[T] } }[TaskEventType]
export type TaskEventData<T extends TaskEventType> = Data[T]

/** The schema of each fact's payload, by its type. */
export const taskEventSchemas: Record<TaskEventType, TSchema> = Object.fromEntries(
  Object.entries(facts).map(([type, data]) => [type, Type.Object(data)]),
) as unknown as Record<TaskEventType, TSchema>

/** The version in which each fact is written today; older ones are lifted when read (src/log/upcast.ts). */
export const taskEventVersion = 1
