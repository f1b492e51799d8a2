import type { Timers } from '../contract/ports.ts'

/** The part of its deadline that a check must have run. If it has run less, other work has kept it from running. */
const enough = 0.8
/** The most deadlines that a check gets one after another, however little it has run. */
const maxDeadlines = 10

type Deps = {
  ms: number
  timers: Pick<Timers, 'after'>
  /** Milliseconds that the check's thread has run; undefined: the system does not count them. */
  ran: () => number | undefined
}

/** The deadline of a check that begins now. Calls `due` when it has passed. */
export const startDeadline = ({ ms, timers, ran }: Deps, due: () => void) => {
  const ranBefore = ran()
  let deadlines = 1
  let stop = timers.after(ms, due)
  return {
    /** Starts the deadline again if other work on the machine kept the check from running. Returns whether it did. */
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
