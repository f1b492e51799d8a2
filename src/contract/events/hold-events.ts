// The events of legal holds, which protect data from erasure. The events of all holds are in one stream.
import Type, { type Static } from 'typebox'

export const holdStream = 'holds'

/** What a hold protects: exactly one of a task, the sessions with this id (of all users), or a user. */
export const HoldSubject = Type.Object({
  task_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  session_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
})
export type HoldSubject = Static<typeof HoldSubject>

export type HoldPlaced = HoldSubject & { hold_id: string; reason: string; by: string }
export type HoldLifted = HoldSubject & { hold_id: string; reason: string; by: string }
