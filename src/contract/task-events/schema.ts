// Parts of schemas that several events of a task share.
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
/** The form of contexts and requests: 1 is the original form, 2 is the form of docs/decisions/41. */
export const Form = Type.Enum([1, 2])
export type Form = Static<typeof Form>
