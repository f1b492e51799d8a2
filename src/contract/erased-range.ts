// What an event of an erasure names. The verifiers, which run without a server, need no more of it than this.
export const erasureStream = 'erasures'
export const payloadsErased = 'PayloadsErased'

/** Streams whose events may be erased begin with one of these. All others are kept: keys, tokens, erasures, holds. */
export const erasablePrefixes = ['task-', 'env-', 'cron-', 'webhook-'] as const

/** All events of `streams` at the positions `from` to `to`. */
export type ErasedRange = { streams: string[]; from: number; to: number }
