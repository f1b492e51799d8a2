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

/** Measures how long the event loop has worked. */
export const createStopwatch = (meter: LoopMeter) => {
  let measuredAt = 0
  let busyThen = 0
  const begin = (): void => {
    measuredAt = meter.now()
    busyThen = meter.busy()
  }
  return {
    /** Starts a measurement. Earlier work does not count. */
    begin,
    /** Ends a measurement and starts the next one. Returns its length, and how much of it the loop worked. */
    lap(): { elapsed: number; worked: number } {
      const [from, busy] = [measuredAt, busyThen]
      begin()
      const elapsed = Math.max(measuredAt - from, 0.01)
      return { elapsed, worked: Math.min(busyThen - busy, elapsed) }
    },
  }
}
