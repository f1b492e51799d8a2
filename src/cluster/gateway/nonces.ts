// Remembers the numbers that requests have used, for as long as somebody could use them again. The memory is bounded:
// when it is full, it forgets the oldest numbers. From then on, a request is refused unless it was signed later than
// all the forgotten numbers.

/**
 * A set takes new numbers for this many milliseconds. Then the numbers in the older set are too old to be used again.
 */
const turnMs = 60_000

/** `most`: how many numbers each of the two sets may have. A set with 131,072 numbers takes about 10 MB. */
export const createNonces = (most = 131_072) => {
  let young = { seen: new Set<string>(), begun: Number.NEGATIVE_INFINITY, newest: Number.NEGATIVE_INFINITY }
  let old = young
  /** A request that was signed at this moment or before is refused. */
  let floor = Number.NEGATIVE_INFINITY
  return {
    /** Whether a number, signed at `time`, is used for the first time. */
    isFirst(nonce: string, time: number, now: number): boolean {
      if (time <= floor || young.seen.has(nonce) || old.seen.has(nonce)) return false
      if (young.seen.size >= most || now - young.begun >= turnMs) {
        floor = Math.max(floor, old.newest)
        old = young
        young = { seen: new Set(), begun: now, newest: Number.NEGATIVE_INFINITY }
      }
      young.seen.add(nonce)
      young.newest = Math.max(young.newest, time)
      return true
    },
  }
}
