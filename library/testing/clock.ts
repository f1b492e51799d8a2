// The clock of a server under test. It goes on as every clock does, and a test moves it ahead: then each timer runs that is due
// by the new time, at its own time and in order. The clock outlives the starts of the server.
import type { Clock, Timers } from '../../src/contract/ports.ts'
import { createDueTimes } from '../../src/platform/time/due-times.ts'

/** The timers of one start of a server. */
export type MovedTimers = Timers & {
  /** When the next timer is due that runs once; undefined: there is none. */
  next(): number | undefined
  /** The jobs that are due now, in order. Each is undefined if it was canceled meanwhile. */
  take(): (() => (() => void) | undefined)[]
  /** The clock was moved: what is repeated and is overdue runs once, as after a pause of the process. */
  moved(): void
  stop(): void
}

const units: Record<string, number> = {
  ...{ ms: 1, millisecond: 1, s: 1000, second: 1000, m: 60_000, min: 60_000, minute: 60_000 },
  ...{ h: 3_600_000, hour: 3_600_000, d: 86_400_000, day: 86_400_000, w: 604_800_000, week: 604_800_000 },
}

/** Milliseconds of a span such as `'7 days'`, `'90 minutes'` or a number. Throws when it is none. */
export const msOf = (span: number | string): number => {
  const [, count, unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(String(span)) ?? []
  const word = unit.toLowerCase()
  const size = units[word] ?? units[word.replace(/s$/, '')]
  const ms = typeof span === 'number' ? span : Number(count) * (size ?? Number.NaN)
  if (Number.isFinite(ms) && ms >= 0) return ms
  throw new TypeError(
    `${JSON.stringify(span)} is no span of time: write milliseconds, or a text such as '7 days', '90 minutes' or '1.5 s'`,
  )
}

const longestTimerMs = 2 ** 31 - 1

const createTimers = (now: () => number): MovedTimers => {
  const times = createDueTimes()
  const once = new Map<string, () => void>()
  const repeated = new Set<{ due: number; run: () => void; cancel: () => void }>()
  let made = 0
  let alarm: NodeJS.Timeout | undefined
  let alarmAt = Number.POSITIVE_INFINITY

  /** The job of a timer, which then runs no more by itself. */
  const jobOf = (id: string) => {
    const job = once.get(id)
    once.delete(id)
    return job
  }
  const take = () => times.take(now()).map(id => () => jobOf(id))
  const arm = () => {
    const first = times.earliest() ?? Number.POSITIVE_INFINITY
    if (first === alarmAt) return
    clearTimeout(alarm)
    alarmAt = first
    if (first === Number.POSITIVE_INFINITY) return
    alarm = setTimeout(ring, Math.min(longestTimerMs, Math.max(0, first - now())))
    alarm.unref()
  }
  const ring = () => {
    alarmAt = Number.POSITIVE_INFINITY
    const due = take()
    arm()
    for (const job of due) job()?.()
  }
  return {
    after(ms, job) {
      const id = String(made++)
      once.set(id, job)
      times.set(id, now() + ms)
      arm()
      return () => {
        once.delete(id)
        times.remove(id)
      }
    },
    every(ms, job) {
      const one = {
        due: now() + ms,
        run() {
          one.due = now() + ms
          job()
        },
        cancel() {
          clearInterval(real)
          repeated.delete(one)
        },
      }
      const real = setInterval(one.run, ms)
      real.unref()
      repeated.add(one)
      return one.cancel
    },
    next: times.earliest,
    take,
    moved() {
      alarmAt = Number.POSITIVE_INFINITY
      clearTimeout(alarm)
      arm()
      const overdue = [...repeated].filter(({ due }) => due <= now()).sort((a, b) => a.due - b.due)
      for (const { run } of overdue) run()
    },
    stop() {
      for (const { cancel } of [...repeated]) cancel()
      once.clear()
      times.clear()
      clearTimeout(alarm)
    },
  }
}

/** `at`: what the clock shows now, in milliseconds since 1970. */
export const createMovedClock = (at: number) => {
  let ahead = at - Date.now()
  const now = () => Date.now() + ahead
  const clock: Clock = { now }
  return {
    ...clock,
    newTimers: () => createTimers(now),
    /**
     * Moves the clock to a time. `settled` resolves when the server has done what followed from a timer. `isOver`: the server has
     * ended meanwhile.
     */
    async advanceTo(
      end: number,
      {
        timers,
        settled,
        isOver,
      }: { timers: MovedTimers; settled: () => Promise<void>; isOver: () => boolean },
    ): Promise<void> {
      const moveTo = (time: number) => {
        ahead += Math.max(0, time - now())
        timers.moved()
      }
      for (let due = timers.next(); due !== undefined && due <= end; due = timers.next()) {
        moveTo(due)
        await settled() // what is repeated may have done the work of the timer
        for (const job of timers.take()) {
          if (isOver()) return
          job()?.()
          await settled()
        }
        if (isOver()) return
      }
      moveTo(end)
      await settled()
    },
    /** Moves the clock while no server runs. */
    skip(ms: number): void {
      ahead += ms
    },
  }
}
export type MovedClock = ReturnType<typeof createMovedClock>
