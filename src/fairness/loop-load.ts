import { performance } from 'node:perf_hooks'

/**
 * Times in milliseconds. `now` never decreases. `busy` is the time that the event loop has worked since the process
 * started.
 */
export type LoopMeter = { now(): number; busy(): number }
export const realMeter: LoopMeter = {
  now: () => performance.now(),
  busy: () => performance.eventLoopUtilization().active,
}

/** The time over which the load is averaged, in milliseconds. */
const steadyMs = 60

/** Measures the load of the event loop: the part of its time in which it works, as a moving average. */
export const createLoopLoad = (meter: LoopMeter) => {
  let measuredAt = 0
  let busyThen = 0
  let busyPart = 0
  return {
    /** The load, from 0 to 1. It is 0 before the first measurement. */
    busyPart: () => busyPart,
    /** Starts the first measurement. Earlier work does not count. */
    begin(): void {
      measuredAt = meter.now()
      busyThen = meter.busy()
      busyPart = 0
    },
    /** Ends a measurement. Returns the milliseconds since the last one, and how many of these the loop worked. */
    measure(): { elapsed: number; worked: number } {
      const [now, busy] = [meter.now(), meter.busy()]
      const elapsed = Math.max(now - measuredAt, 0.01)
      const worked = Math.min(busy - busyThen, elapsed)
      measuredAt = now
      busyThen = busy
      busyPart += (worked / elapsed - busyPart) * (1 - Math.exp(-elapsed / steadyMs))
      return { elapsed, worked }
    },
  }
}
