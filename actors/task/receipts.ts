// Makes the receipts of a cancel, which say for each effect whether it stopped within its deadline.
import type { Timers } from '../../src/contract/ports.ts'

/** A canceled step or call that has not stopped after this many milliseconds is reported as not stopped. */
const cancelDeadlineMs = 1000

export type Stopping = {
  id: string
  /** Resolves when the effect has stopped; undefined: it did not run. */
  outcome: Promise<unknown> | undefined
  /** Whether the effect is a subagent's task, which applies this deadline to its own effects. */
  isChild: boolean
}

const hasStopped = ({ outcome, isChild }: Stopping, timers: Timers): Promise<boolean> => {
  const over = outcome === undefined ? Promise.resolve(true) : outcome.then(() => true)
  if (isChild) return over
  return new Promise(resolve => {
    const giveUp = timers.after(cancelDeadlineMs, () => resolve(false))
    void over.then(() => {
      giveUp()
      resolve(true)
    })
  })
}

export const receiptsOf = (
  stopping: readonly Stopping[],
  timers: Timers,
): Promise<{ effect_id: string; stopped: boolean }[]> =>
  Promise.all(stopping.map(async one => ({ effect_id: one.id, stopped: await hasStopped(one, timers) })))
