// Keeps one timer for many due times, such as those of all cron jobs. It wakes at the earliest, and hands over what is due, a
// few at a time.
import type { Clock, Timers } from '../../contract/ports.ts'
import { createDueTimes } from './due-times.ts'

/**
 * Milliseconds between two looks at the clock while something has a due time. The operator may set the clock forward, and
 * timers do not notice that.
 */
const lookMs = 1000
/** Longer timers would end at once. */
const longestTimerMs = 2 ** 31 - 1
/** The clock counts as set back when it shows a moment that is this many milliseconds before one that it has shown. */
const setBackMs = 2000
/** At most this many due ones are handled at a time. Further ones wait in memory. */
const atOnce = 64

type Deps = {
  clock: Clock
  timers: Timers
  /**
   * Handles one that was due when the alarm looked at the clock, at `seenAt` (Unix milliseconds), or whose time may have
   * been planned by a clock that was ahead. Must not reject.
   */
  onDue: (id: string, seenAt: number) => Promise<void>
  /** True while nothing may be handled. */
  isHeld: () => boolean
}

export const createAlarm = ({ clock, timers, onDue, isHeld }: Deps) => {
  const times = createDueTimes()
  let waiting: { id: string; seenAt: number }[] = []
  let working = 0
  let wakesAt = Number.POSITIVE_INFINITY
  let cancel = () => {}
  let stopLooking: (() => void) | undefined
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
  const rest = () => {
    cancel()
    stopLooking?.()
    stopLooking = undefined
    wakesAt = Number.POSITIVE_INFINITY
  }
  const arm = () => {
    const earliest = times.earliest()
    if (earliest === undefined || isStopped) return rest()
    stopLooking ??= timers.every(lookMs, look)
    const now = clock.now()
    const wait = Math.min(longestTimerMs, Math.max(isHeld() ? lookMs : 0, earliest - now))
    if (now + wait >= wakesAt) return
    cancel()
    wakesAt = now + wait
    cancel = timers.after(wait, look)
  }

  return {
    set(id: string, due: number): void {
      times.set(id, due)
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
    /** How many are being handled or wait to be handled. */
    busy: () => working + waiting.length,
    stop(): void {
      isStopped = true
      waiting = []
      rest()
    },
  }
}
export type Alarm = ReturnType<typeof createAlarm>
