// What an event of an erasure names. The verifiers, which run without a server, need no more of it than this.
export const erasureStream = 'erasures'
export const payloadsErased = 'PayloadsErased'

/** Streams whose events may be erased begin with one of these. All others are kept: keys, tokens, erasures, holds. */
export const erasablePrefixes = ['task-', 'env-', 'cron-', 'webhook-'] as const

/** All events of `streams` at the positions `from` to `to`. */
export type ErasedRange = { streams: string[]; from: number; to: number }

/** One stream of an erasure: its events at the positions `from` to `to`. `by`: the position of the event that says so. */
export type ErasedPart = { from: number; to: number; by: number }

/**
 * What a stored event of the stream of erasures erases, as pairs of a stream and its part. An event of another type, and
 * a payload that is not that of an erasure, name nothing.
 */
export const erasedPartsOf = (event: {
  position: number
  header: string
  payload: string | null
}): [string, ErasedPart][] => {
  const { type } = JSON.parse(event.header) as { type: string }
  if (type !== payloadsErased || event.payload === null) return []
  const { streams, from, to } = JSON.parse(event.payload) as Partial<ErasedRange>
  if (!Array.isArray(streams) || typeof from !== 'number' || typeof to !== 'number') return []
  if (to >= event.position) return []
  return streams
    .filter(stream => erasablePrefixes.some(prefix => String(stream).startsWith(prefix)))
    .map(stream => [stream, { from, to, by: event.position }])
}
