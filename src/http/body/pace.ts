// Finds bodies that arrive more slowly than allowed. They are refused, because they hold memory that others need.

import { Members } from '../../platform/transient.ts'
export type Pace = {
  /** The lowest allowed rate, in bytes a second. */
  leastRate: number
  /** Milliseconds at the beginning during which a body may come at any pace. */
  graceMs: number
  /** The rate is measured again and again, each time over this many milliseconds. */
  windowMs: number
}
export const defaultPace: Pace = { leastRate: 64 * 1024, graceMs: 10_000, windowMs: 5_000 }

/** The longest time that a body of `bytes` may take, in milliseconds. */
export const longestMs = (bytes: number, { leastRate, graceMs, windowMs }: Pace = defaultPace): number =>
  graceMs + windowMs + (bytes / leastRate) * 1000

type Body = { windowEnds: number; needed: number; came: number; end: () => void; over: () => void }

/** Watches the bodies that are being received, and calls `end` for each that is too slow. */
export const watchPace = ({ leastRate, graceMs, windowMs }: Pace = defaultPace) => {
  const coming = new Members<Body>()
  const look = () => {
    const now = performance.now()
    for (const body of coming) {
      if (now < body.windowEnds) continue
      if (body.came < body.needed) {
        body.over()
        body.end()
      } else {
        body.came = 0
        body.needed = (leastRate * windowMs) / 1000
        body.windowEnds = now + windowMs
      }
    }
  }
  const timer = setInterval(look, Math.min(1000, windowMs / 2))
  timer.unref()
  return {
    begin(end: () => void) {
      // The first window includes the grace time (`graceMs`), so bytes that arrive in that time count.
      const body: Body = {
        windowEnds: performance.now() + graceMs + windowMs,
        needed: (leastRate * windowMs) / 1000,
        came: 0,
        end,
        over: () => {},
      }
      body.over = coming.join(body)
      return {
        take: (bytes: number) => {
          body.came += bytes
        },
        over: body.over,
      }
    },
    stop: () => clearInterval(timer),
  }
}
export type PaceWatch = ReturnType<typeof watchPace>
