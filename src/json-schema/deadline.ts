import type { Timers } from '../contract/ports.ts'

/** A check that has run for less than this part of its deadline was kept from running by other work. */
const enough = 0.8
/** A check gets at most this many deadlines one after another, even if it has hardly run. */
const maxDeadlines = 10

type Deps = {
  ms: number
  timers: Pick<Timers, 'after'>
  /** Milliseconds that the check's thread has run; undefined: the system does not count them. */
  ran: () => number | undefined
}

/** Starts the deadline of a check. Calls `due` when the deadline has passed. */
export const startDeadline = ({ ms, timers, ran }: Deps, due: () => void) => {
  const ranBefore = ran()
  let deadlines = 1
  let stop = timers.after(ms, due)
  return {
    /** Starts the deadline again, and returns true, if other work on the machine has kept the check from running. */
    putOff(): boolean {
      const ranNow = ran()
      if (ranNow === undefined || ranBefore === undefined || deadlines >= maxDeadlines) return false
      if (ranNow - ranBefore >= ms * enough) return false
      deadlines++
      stop = timers.after(ms, due)
      return true
    },
    stop: () => stop(),
  }
}
export type Deadline = ReturnType<typeof startDeadline>
