// The part of the event of an erasure that names what is erased. The verifiers, which run without a server, read only
// this part.
export const erasureStream = 'erasures'
export const payloadsErased = 'PayloadsErased'

/**
 * Names of streams that may be erased begin with one of these. Streams of keys, tokens, erasures and holds are kept.
 */
export const erasablePrefixes = ['task-', 'env-', 'cron-', 'webhook-'] as const

/** All events of `streams` at the positions `from` to `to`. */
export type ErasedRange = { streams: string[]; from: number; to: number }

/** One stream of an erasure: its events at the positions `from` to `to`. `by`: the position of PayloadsErased. */
export type ErasedPart = { from: number; to: number; by: number }

/**
 * Returns what an event of the stream of erasures erases, as pairs of a stream and its erased part. Returns an empty
 * list for an event of another type, and for a payload that does not describe a valid erasure.
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
