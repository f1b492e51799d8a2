// Keeps what a node knows about the lease: the newest beat, when the node saw that beat, and until when the node itself
// holds the lease.
import { type Beat, beatOf } from './beat.ts'
import type { SharedRecord } from './shared-log.ts'

export type LeaseState = 'mine' | 'theirs' | 'free'
/** `isGiven`: the last holder has given the lease away, and no node has taken it since. */
export type LeaseNews = {
  state: LeaseState
  holder: { name: string; url: string } | undefined
  isGiven: boolean
}

export type SeenBeatsDeps = {
  /** The id of this process. No other process has it, not even a process of a node with the same name. */
  run: string
  /** Milliseconds for which a beat counts. */
  leaseMs: number
  /** Milliseconds on a clock that only goes forward. */
  now: () => number
  /** Called with each new moment up to which this node holds the lease; 0: it does not hold the lease. */
  holds: (until: number) => void
  tell: (news: LeaseNews) => void
}

/** Another node waits this many milliseconds longer than a beat counts. */
const marginMs = 100

export const createSeenBeats = ({ run, leaseMs, now, holds, tell }: SeenBeatsDeps) => {
  let newest: Beat | undefined
  /** The sequence of the newest beat, and the moment when this node saw it or began to look. */
  let last = 0
  let seen = now()
  let until = 0
  let isReleased = false
  let told = JSON.stringify(['free', undefined])

  const isOurs = () => newest?.run === run && newest.leaving !== true
  const hold = (to: number): void => {
    until = isReleased ? 0 : to
    holds(until)
  }
  const look = (): void => {
    const isTheirs = newest !== undefined && !isOurs() && !newest.leaving && now() - seen <= leaseMs
    const state = now() < until ? 'mine' : isTheirs ? 'theirs' : 'free'
    const holder =
      state === 'free' || newest === undefined ? undefined : { name: newest.node, url: newest.url }
    const isGiven = state === 'free' && newest?.leaving === true
    const news = JSON.stringify([state, holder])
    if (news === told) return
    told = news
    tell({ state, holder, isGiven })
  }
  return {
    last: () => last,
    /** Whether the newest beat is from this process, and does not give the lease away. */
    isOurs,
    /** Whether this node holds the lease now. */
    isHeld: () => now() < until,
    /** Whether no other node can still hold the lease. */
    isFree: () => newest?.leaving === true || last === 0 || now() - seen > leaseMs + marginMs,
    isReleased: () => isReleased,
    /** Tells the state if it has changed. It also changes when time passes without beats. */
    look,
    take(records: readonly SharedRecord[]): void {
      for (const { sequence, bytes } of records) {
        if (sequence <= last) continue
        last = sequence
        newest = beatOf(bytes)
        seen = now()
        hold(isOurs() ? Math.max(until, (newest?.sent ?? 0) + leaseMs) : 0)
      }
      look()
    },
    /** Forgets everything, and begins to look behind a sequence. */
    beginAt(sequence: number): void {
      newest = undefined
      last = sequence
      seen = now()
      hold(0)
      look()
    },
    /** While the lease is released, this node does not count as its holder, whatever beats are stored. */
    setReleased(released: boolean): void {
      isReleased = released
      if (released) hold(0)
      look()
    },
  }
}
