// Keeps one timer for all jobs. It wakes at the earliest due time and hands over the due jobs, a few at a time.
import type { Clock, Timers } from '../contract/ports.ts'
import { createDueTimes } from './due-times.ts'

/**
 * The longest time between two looks at the clock, in milliseconds. The operator may set the clock forward, and timers
 * do not notice that.
 */
const longestSleepMs = 1000
/** The clock counts as set back when it shows a moment that is this many milliseconds before one that it has shown. */
const setBackMs = 2000
/** The most jobs whose triggers are stored at a time. Further due jobs wait in memory. */
const atOnce = 64

type Deps = {
  clock: Clock
  timers: Timers
  /**
   * Handles a job that was due when the alarm looked at the clock, at `seenAt` (Unix milliseconds), or whose time may have
   * been planned by a clock that was ahead. Must not reject.
   */
  onDue: (jobId: string, seenAt: number) => Promise<void>
  /** True while no run may begin. */
  isHeld: () => boolean
}

export const createAlarm = ({ clock, timers, onDue, isHeld }: Deps) => {
  const times = createDueTimes()
  let waiting: { id: string; seenAt: number }[] = []
  let working = 0
  let wakesAt = Number.POSITIVE_INFINITY
  let cancel = () => {}
  let newest = 0
  let isStopped = false

  const work = () => {
    while (working < atOnce && waiting.length > 0 && !isStopped) {
      const { id, seenAt } = waiting.shift() as { id: string; seenAt: number }
      working++
      void onDue(id, seenAt).then(() => {
        working--
        work()
      })
    }
  }
  const look = () => {
    wakesAt = Number.POSITIVE_INFINITY
    if (!isHeld()) {
      const seenAt = clock.now()
      const due = times.take(seenAt)
      const doubtful = seenAt < newest - setBackMs ? times.all() : []
      newest = seenAt
      waiting = waiting.concat([...due, ...doubtful].map(id => ({ id, seenAt })))
      work()
    }
    arm()
  }
  const arm = () => {
    const earliest = times.earliest()
    if (earliest === undefined || isStopped) return
    const now = clock.now()
    const sleep = Math.min(longestSleepMs, Math.max(isHeld() ? longestSleepMs : 0, earliest - now))
    if (now + sleep >= wakesAt) return
    cancel()
    wakesAt = now + sleep
    cancel = timers.after(sleep, look)
  }

  return {
    set(jobId: string, due: number): void {
      times.set(jobId, due)
      arm()
    },
    /** The clock has shown this moment, perhaps before this start. */
    seen(at: number): void {
      newest = Math.max(newest, at)
    },
    remove: times.remove,
    clear(): void {
      times.clear()
      waiting = []
    },
    size: times.size,
    /** The number of due jobs that are being handled or wait to be handled. */
    busy: () => working + waiting.length,
    stop(): void {
      isStopped = true
      waiting = []
      cancel()
    },
  }
}
export type Alarm = ReturnType<typeof createAlarm>
