// The beats in a shared log say which node holds the lease. The holder appends a beat every half second, right behind
// the newest one. Only one node can store a beat at that place, so two nodes can never both count the same beat as
// theirs.
//
// The holder counts the time of the lease from the moment before it sent its newest stored beat. Another node counts
// from the moment when it saw that beat, so it waits until after the holder has given up the lease. Each counts by its
// own clock, which only goes forward. See docs/decisions/97-a-lease-by-beats.md.
import type { Timers } from '../contract/ports.ts'
import { sleep } from '../platform/sleep.ts'
import { bytesOf } from './beat.ts'
import { createSeenBeats, type SeenBeatsDeps } from './seen-beats.ts'
import { Fenced, type Following, type SharedLog } from './shared-log.ts'

export type BeatsDeps = SeenBeatsDeps & {
  log: SharedLog
  node: { name: string; url: string }
  /** Milliseconds between two beats. */
  beatMs: number
  timers: Timers
  /** Called after each beat: whether the servers have answered. */
  answered?: (isAnswered: boolean) => void
}

/** Milliseconds between two looks at the clock. */
const lookMs = 25
/** How many times a node tries to tell the other nodes that it gives the lease away. */
const leavingTries = 3
const mostBeats = 100

export const createBeats = (deps: BeatsDeps) => {
  const { log, node, run, beatMs, now, timers, answered = () => {} } = deps
  const seen = createSeenBeats(deps)
  const stopping = new AbortController()
  let sent = Number.NEGATIVE_INFINITY
  let isWanted = false
  const released: (() => void)[] = []
  const { begin, beginAgain, end } = createLooking(deps, seen, stopping.signal)

  const beat = async (leaving: boolean): Promise<void> => {
    sent = now()
    const expected = seen.last()
    const bytes = bytesOf({ node: node.name, url: node.url, run, sent, ...(leaving ? { leaving } : {}) })
    try {
      await log.append(expected, bytes)
      answered(true)
      seen.take([{ sequence: expected + 1, bytes }])
    } catch (error) {
      // A beat that was seen since, of any node, shows that the servers store beats.
      answered(error instanceof Fenced || seen.last() > expected)
      // If this beat was stored but the answer was lost, the next beat is refused, and then this node reads the newest
      // beats.
      if (!(error instanceof Fenced)) return
      if ((await log.tail()) < expected) await begin()
      else seen.take(await log.read(expected, mostBeats))
    }
  }
  /** Whether it is time for a beat: to keep the lease, or to take it. */
  const isDue = (): boolean => {
    if (seen.isReleased() || now() - sent < beatMs) return false
    return seen.isOurs() ? isWanted || seen.isHeld() : isWanted && seen.isFree()
  }
  /** Tells the other nodes that the lease is free. This node no longer counts itself as the holder by then. */
  const leave = async (): Promise<void> => {
    for (let tries = 0; seen.isOurs() && tries < leavingTries; tries++) await beat(true)
  }
  const beatAlways = async (): Promise<void> => {
    await beginAgain()
    while (!stopping.signal.aborted) {
      const asked = released.splice(0)
      if (asked.length > 0) await leave().catch(() => {})
      for (const done of asked) done()
      if (isDue()) await beat(false).catch(() => {})
      else await sleep(timers, lookMs, stopping.signal)
    }
  }
  const stopLooking = timers.every(lookMs, seen.look)
  const beating = beatAlways()
  return {
    want(wanted: boolean): void {
      isWanted = wanted
      if (wanted) seen.setReleased(false)
    },
    /**
     * Gives the lease away. Resolves when the other nodes are told. It also resolves when telling them has failed: they
     * then notice it from missing beats.
     */
    release: (): Promise<void> =>
      new Promise(resolve => {
        isWanted = false
        seen.setReleased(true)
        released.push(resolve)
      }),
    async stop(): Promise<void> {
      stopping.abort()
      stopLooking()
      seen.setReleased(true)
      await end()
      await beating
      for (const done of released) done()
    },
  }
}

/** Looks at the beats of all nodes, from the newest one on. */
const createLooking = (
  { log, beatMs, timers }: BeatsDeps,
  seen: ReturnType<typeof createSeenBeats>,
  stopping: AbortSignal,
) => {
  let following: Following | undefined
  let beginning: Promise<void> | undefined

  const beginNow = async (): Promise<void> => {
    await following?.stop()
    seen.beginAt(Math.max(0, (await log.tail()) - 1))
    following = log.follow(seen.last(), seen.take, () => void beginAgain())
  }
  /** Begins to look, or begins anew when the log has lost its end. */
  const begin = (): Promise<void> => {
    beginning ??= beginNow().finally(() => {
      beginning = undefined
    })
    return beginning
  }
  const beginAgain = async (): Promise<void> => {
    while (!stopping.aborted) {
      try {
        return await begin()
      } catch {
        await sleep(timers, beatMs, stopping) // the servers are away
      }
    }
  }
  return { begin, beginAgain, end: async () => following?.stop() }
}
