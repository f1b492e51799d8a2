// The body with which a legal hold is placed or lifted.
import Type, { type Static } from 'typebox'
import { HoldSubject } from '../events/hold-events.ts'

export const HoldBody = Type.Object({
  ...HoldSubject.properties,
  reason: Type.String({ minLength: 1, maxLength: 2000 }),
})
export type HoldBody = Static<typeof HoldBody>
