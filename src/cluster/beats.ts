// Who holds the lease of a shard follows from beats in a shared log. The holder appends a beat every half second, each
// behind the newest one, so two nodes can never both believe that the same beat was theirs.
//
// The holder counts from the moment before it sent its newest stored beat. Another node counts from the moment when it
// saw that beat, so it waits longer than the holder holds. Each counts by its own clock, which only goes forward.
import type { Timers } from '../contract/ports.ts'
import { sleep } from '../platform/sleep.ts'
import { type Beat, beatOf, bytesOf } from './beat.ts'
import { Fenced, type Following, type SharedLog, type SharedRecord } from './shared-log.ts'

export type LeaseState = 'mine' | 'theirs' | 'free'
export type LeaseNews = { state: LeaseState; holder: { name: string; url: string } | undefined }

export type BeatsDeps = {
  log: SharedLog
  node: { name: string; url: string }
  /** Differs from that of every other process, also of one with the same name. */
  run: string
  /** Milliseconds between two beats, and for which one counts. */
  beatMs: number
  leaseMs: number
  /** Milliseconds on a clock that only goes forward. */
  now: () => number
  timers: Timers
  /** Called with each new moment up to which this node holds the lease; 0: it does not. */
  holds: (until: number) => void
  tell: (news: LeaseNews) => void
}

/** Milliseconds that another node waits longer than the holder holds. */
const marginMs = 100
/** Milliseconds between two looks at the clock. */
const lookMs = 25
const mostBeats = 100
/** How often a node tries to say that it gives the lease away. */
const leavingTries = 3

export const createBeats = (deps: BeatsDeps) => {
  const { log, node, run, beatMs, leaseMs, now, timers, tell } = deps
  const stopping = new AbortController()
  let newest: Beat | undefined
  /** The sequence of the newest beat, and the moment when this node saw it or began to look. */
  let last = 0
  let seen = now()
  let until = 0
  let sent = Number.NEGATIVE_INFINITY
  let isWanted = false
  let isReleased = false
  let told = JSON.stringify(['free', undefined])
  let following: Following | undefined
  const released: (() => void)[] = []

  const isOurs = () => newest?.run === run && newest.leaving !== true
  const isFree = () =>
    newest?.leaving === true || (newest === undefined && last === 0) || now() - seen > leaseMs + marginMs
  const hold = (to: number): void => {
    until = isReleased ? 0 : to
    deps.holds(until)
  }
  const look = (): void => {
    const isTheirs = newest !== undefined && !isOurs() && !newest.leaving && now() - seen <= leaseMs
    const state = now() < until ? 'mine' : isTheirs ? 'theirs' : 'free'
    const holder =
      state === 'free' || newest === undefined ? undefined : { name: newest.node, url: newest.url }
    const news = JSON.stringify([state, holder])
    if (news !== told) tell({ state, holder })
    told = news
  }
  const take = (records: readonly SharedRecord[]): void => {
    for (const { sequence, bytes } of records) {
      if (sequence <= last) continue
      last = sequence
      newest = beatOf(bytes)
      seen = now()
      hold(isOurs() ? Math.max(until, (newest?.sent ?? 0) + leaseMs) : 0)
    }
    look()
  }
  let beginning: Promise<void> | undefined
  /** Begins to look at the newest beat. It does so again when the log has lost its end. */
  const begin = (): Promise<void> => {
    beginning ??= beginNow().finally(() => {
      beginning = undefined
    })
    return beginning
  }
  const beginNow = async (): Promise<void> => {
    await following?.stop()
    const end = await log.tail()
    newest = undefined
    last = Math.max(0, end - 1)
    seen = now()
    hold(0)
    following = log.follow(last, take, () => void beginAgain())
  }
  const beginAgain = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        return await begin()
      } catch {
        await sleep(timers, beatMs, stopping.signal) // the servers are away
      }
    }
  }
  const beat = async (leaving: boolean): Promise<void> => {
    sent = now()
    const ours: Beat = { node: node.name, url: node.url, run, sent, ...(leaving ? { leaving } : {}) }
    const expected = last
    try {
      await log.append(expected, bytesOf(ours))
      take([{ sequence: expected + 1, bytes: bytesOf(ours) }])
    } catch (error) {
      // When the answer is unknown, the next beat is refused if this one was stored, and then this node looks.
      if (!(error instanceof Fenced)) return
      if ((await log.tail()) < last) await begin()
      else take(await log.read(last, mostBeats))
    }
  }
  /** Whether it is time for a beat: to keep the lease, or to take it. */
  const isDue = (): boolean => {
    if (isReleased || now() - sent < beatMs) return false
    return isOurs() ? isWanted || now() < until : isWanted && isFree()
  }
  const leave = async (): Promise<void> => {
    // The lease ends before others learn that it is free.
    hold(0)
    look()
    for (let tries = 0; isOurs() && tries < leavingTries; tries++) await beat(true)
  }
  const beatAlways = async (): Promise<void> => {
    await beginAgain()
    while (!stopping.signal.aborted) {
      look()
      const asked = released.splice(0)
      if (asked.length > 0) await leave().catch(() => {})
      for (const done of asked) done()
      if (isDue()) await beat(false).catch(() => {})
      else await sleep(timers, lookMs, stopping.signal)
    }
  }
  const stopLooking = timers.every(lookMs, look)
  const beating = beatAlways()
  return {
    want(wanted: boolean): void {
      isWanted = wanted
      if (wanted) isReleased = false
    },
    /** Gives the lease away. Resolves when others know it, or when they will see it only from missing beats. */
    release: (): Promise<void> =>
      new Promise(resolve => {
        isWanted = false
        isReleased = true
        hold(0)
        released.push(resolve)
      }),
    async stop(): Promise<void> {
      stopping.abort()
      stopLooking()
      hold(0)
      await following?.stop()
      await beating
      for (const done of released) done()
    },
  }
}
export type Beats = ReturnType<typeof createBeats>
