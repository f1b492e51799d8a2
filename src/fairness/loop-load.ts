import { performance } from 'node:perf_hooks'

/** Milliseconds. `now` never goes back; `busy` is how long the loop has worked since the process started. */
export type LoopMeter = { now(): number; busy(): number }
export const realMeter: LoopMeter = {
  now: () => performance.now(),
  busy: () => performance.eventLoopUtilization().active,
}

/** Milliseconds over which the load is averaged. */
const steadyMs = 60

/** The part of its time in which the event loop works, as a moving average over measurements. */
export const createLoopLoad = (meter: LoopMeter) => {
  let measuredAt = 0
  let busyThen = 0
  let busyPart = 0
  return {
    /** From 0 to 1; 0 before the first measurement. */
    busyPart: () => busyPart,
    /** Starts the first measurement; earlier work does not count. */
    begin(): void {
      measuredAt = meter.now()
      busyThen = meter.busy()
      busyPart = 0
    },
    /** Milliseconds since the last measurement, and how many of them the loop worked. */
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
