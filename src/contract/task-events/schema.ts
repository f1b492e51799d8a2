// Pieces of schemas that the events of a task share.
import Type, { type Static } from 'typebox'
import { taskStatuses } from '../wire.ts'

export const optional = Type.Optional
export const From = Type.Enum([...taskStatuses])
export const Usage = Type.Record(Type.String(), Type.Unknown())
/** Milliseconds since the epoch; absent: never. */
export const Deadline = optional(Type.Integer())
export const AgentStep = Type.Integer({ minimum: 1 })
export const ItemId = Type.String()
export const CallId = Type.String()
/** How contexts and requests are put together: 1 is how it was done first, 2 is what docs/decisions/41 says. */
export const Form = Type.Enum([1, 2])
export type Form = Static<typeof Form>
