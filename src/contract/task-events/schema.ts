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
 * The time of the original, in milliseconds since 1970. Only in the copies of a fork whose agent is code: this code must
 * see the times that it saw before.
 */
export const OriginalAt = optional(Type.Integer())
