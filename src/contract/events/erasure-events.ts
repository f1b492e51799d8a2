// The events of erasures. An event PayloadsErased is stored before anything is destroyed, and nothing may be destroyed
// without it.
import Type, { type Static } from 'typebox'
import type { ErasedRange } from '../erased-range.ts'

/** The most streams that one event names. The payload of the event must be short, since a trigger reads it. */
export const streamsPerErasure = 200

/** What somebody asked to erase. A session also has a user, since two users may have sessions with the same id. */
export const ErasureSubject = Type.Object({
  kind: Type.Enum(['task', 'session', 'user', 'retention']),
  id: Type.String(),
  user_id: Type.Optional(Type.String()),
})
export type ErasureSubject = Static<typeof ErasureSubject>

/** Something that holds erased content and that the server could not erase, and why. */
export const NotErased = Type.Object({ what: Type.String(), why: Type.String() })
export type NotErased = Static<typeof NotErased>

/** In lists of what was not erased, this name stands for the messages that the operator's NATS server keeps. */
export const keptByNats = 'REPRISE_EVENTS'

/**
 * The payloads and salts of the events of a range are destroyed. `by`: the id of the token. An erasure of many streams,
 * or of streams of several users, has several of these events, with one `erasure_id`.
 */
export type PayloadsErased = ErasedRange & {
  erasure_id: string
  reason: string
  by: string
  subject: ErasureSubject
}
/**
 * What an erasure does not remove, because data that is not erased needs it. The event is stored before the payloads
 * are destroyed, since only the payloads name these things.
 */
export type ErasureLeft = { erasure_id: string; not_erased: NotErased[] }
export const erasureLeft = 'ErasureLeft'

/** The server has destroyed everything that it can destroy for this erasure. */
export type ErasureFinished = { erasure_id: string; not_erased: NotErased[] }
export const erasureFinished = 'ErasureFinished'
