// What a cancel says of the work that it stopped: whether it let go within its deadline.
import type { Timers } from '../../src/contract/ports.ts'

/** How long a step or a call may take to let go of its work when it is canceled. */
const cancelDeadlineMs = 1000

export type Stopping = {
  id: string
  /** Resolves when it has stopped; undefined: it did not run. */
  outcome: Promise<unknown> | undefined
  /** A subagent's task keeps to the same deadline by itself. */
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
