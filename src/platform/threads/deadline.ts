// The deadline of a job in a thread that may be ended. On a busy machine a thread of low priority may wait for seconds
// until it gets a processor. Such a job gets more time.
import type { Timers } from '../../contract/ports.ts'
import { ownThread, processorMs } from './thread-time.ts'

/** A job whose thread has run for less than this part of its deadline was kept from running by other work. */
const enough = 0.8

type Deps = {
  ms: number
  /** A job gets at most this many deadlines one after another, even if its thread has hardly run. */
  most: number
  timers: Pick<Timers, 'after'>
  /** Milliseconds that the job's thread has run; undefined: the system does not count them. */
  ran: () => number | undefined
}

/** Starts the deadline of a job. Calls `due` when the deadline has passed. */
export const startDeadline = ({ ms, most, timers, ran }: Deps, due: () => void) => {
  const ranBefore = ran()
  let deadlines = 1
  let stop = timers.after(ms, due)
  return {
    /** Starts the deadline again, and returns true, if other work on the machine has kept the thread from running. */
    putOff(): boolean {
      const ranNow = ran()
      if (ranNow === undefined || ranBefore === undefined || deadlines >= most) return false
      if (ranNow - ranBefore >= ms * enough) return false
      deadlines++
      stop = timers.after(ms, due)
      return true
    },
    stop: () => stop(),
  }
}
export type Deadline = ReturnType<typeof startDeadline>

/**
 * The deadline of a job that looks at it itself. Returns a function that says whether the calling thread has run for `ms`
 * milliseconds since now, or that `most` times as much time has passed. Where the system does not measure threads, the time
 * of the clock counts.
 */
export const ownDeadline = (ms: number, most: number): (() => boolean) => {
  const thread = ownThread()
  const ranBefore = processorMs(thread)
  const last = performance.now() + ms * most
  let next = performance.now() + ms
  return () => {
    const now = performance.now()
    if (now < next) return false
    const ranNow = processorMs(thread)
    if (ranNow === undefined || ranBefore === undefined || now >= last) return true
    const left = ms - (ranNow - ranBefore)
    next = Math.min(now + left, last)
    return left <= 0
  }
}
