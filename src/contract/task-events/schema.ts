// Parts of schemas that several events of a task share.
import Type from 'typebox'
import { taskStatuses } from '../wire.ts'

export const optional = Type.Optional
export const From = Type.Enum([...taskStatuses])
export const Usage = Type.Record(Type.String(), Type.Unknown())
/** A time in milliseconds since the epoch. Absent: there is no deadline. */
export const Deadline = optional(Type.Integer())
export const AgentStep = Type.Integer({ minimum: 1 })
export const ItemId = Type.String()
export const CallId = Type.String()
/**
 * When the code of an agent got what the event holds, in milliseconds since 1970, if that was before the time of the event: in the
 * copies of a fork, and for an outcome that is stored with what the code asked for next. The code must see the same time again.
 */
export const OriginalAt = optional(Type.Integer())
