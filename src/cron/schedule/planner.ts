// Plans the runs of a job from its settings: the next time, with its jitter, and the times that were missed.
import { createHash } from 'node:crypto'
import type { CronSettings, Next } from '../../contract/events/cron-events.ts'
import { type Times, timesOf } from './calendar.ts'

/** A time is missed when the server looks at it more than this many milliseconds late: a short restart misses none. */
export const graceMs = 60_000
/** The most missed times that are counted. A record with this count stands for this many times or more. */
const countedAtMost = 1000
/** The newest missed time is searched for in the last minute, then in the last hour, the last day, and so on. */
const lookBack = [60_000, 3_600_000, 86_400_000, 32 * 86_400_000, 400 * 86_400_000]

export type Missed = { first: number; last: number; count: number }

/** Also before the anchor, which a clock that was ahead may have set. */
const every = (anchor: number, ms: number): Times => {
  return after => anchor + (Math.floor((after - anchor) / ms) + 1) * ms
}

/** The times that were made for settings. They are kept, because most jobs ask for their times again and again. */
const known = new WeakMap<CronSettings, Times>()
const timesFor = (settings: CronSettings): Times => {
  const made = known.get(settings) ?? makeTimes(settings)
  known.set(settings, made)
  return made
}
const makeTimes = ({ schedule, every_seconds, at, timezone, anchor }: CronSettings): Times => {
  if (schedule !== undefined) return timesOf(schedule, timezone)
  if (every_seconds !== undefined) return every(anchor, every_seconds * 1000)
  return after => (at !== undefined && at > after ? at : undefined)
}

/** The jitter of one time of a job, in milliseconds. It depends only on stored values, so a restart keeps it. */
const jitterOf = (jobId: string, at: number, seconds: number): number =>
  seconds === 0
    ? 0
    : createHash('sha256').update(`${jobId} ${at}`).digest().readUInt32LE(0) % (seconds * 1000 + 1)

/** The newest time that is before `end`. `first` is the oldest one that may be returned. */
const lastBefore = (times: Times, first: number, end: number): number => {
  const from = lookBack.map(ms => Math.max(first - 1, end - ms)).find(at => (times(at) ?? end) < end)
  let last = first
  for (let at = times(from ?? first - 1); at !== undefined && at < end; at = times(at)) last = at
  return last
}

export const planner = {
  /** The first time after a moment; undefined when none is left. */
  next(jobId: string, settings: CronSettings, after: number): Next | undefined {
    const at = timesFor(settings)(after)
    if (at === undefined || at > (settings.ends_at ?? Number.POSITIVE_INFINITY)) return undefined
    return { at, due: at + jitterOf(jobId, at, settings.jitter_seconds) }
  },
  /** The missed times, beginning with `first`; undefined when no time was missed. */
  missed(settings: CronSettings, first: number, now: number): Missed | undefined {
    const end = Math.min(now - graceMs - settings.jitter_seconds * 1000, (settings.ends_at ?? now) + 1)
    if (first >= end) return undefined
    const times = timesFor(settings)
    let count = 0
    for (let at: number | undefined = first; at !== undefined && at < end; at = times(at)) {
      count++
      if (count === countedAtMost) break
    }
    return { first, last: lastBefore(times, first, end), count }
  },
}
export type Planner = typeof planner
