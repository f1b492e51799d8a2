// Finishes a cancel: stops what runs, and reports for each effect whether it stopped within its deadline.

import type { Timers } from '../../src/contract/ports.ts'
import type { CallRunner } from './calls/call-runner.ts'
import type { TaskDeps } from './deps.ts'
import { bySystem, type Self } from './self.ts'
import type { StepRunner } from './step/step-runner.ts'

// Makes the receipts of a cancel, which say for each effect whether it stopped within its deadline.

/** A canceled step or call that has not stopped after this many milliseconds is reported as not stopped. */
const cancelDeadlineMs = 1000

type Stopping = {
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

const receiptsOf = (
  stopping: readonly Stopping[],
  timers: Timers,
): Promise<{ effect_id: string; stopped: boolean }[]> =>
  Promise.all(stopping.map(async one => ({ effect_id: one.id, stopped: await hasStopped(one, timers) })))

export const finishCancel = (
  { view, tell }: Self,
  { world, reach }: Pick<TaskDeps, 'world' | 'reach'>,
  steps: StepRunner,
  calls: CallRunner,
): void => {
  reach('after-intent', 'cancel')
  const step = steps.running()
  const stepId = step?.effectId ?? view.openStep?.effectId
  step?.abort()
  const stepping = stepId === undefined ? [] : [{ id: stepId, outcome: step?.settled, isChild: false }]
  const stopped = receiptsOf([...stepping, ...calls.stopAll()], world.timers)
  reach('during', 'cancel')
  void stopped.then(async receipts => {
    reach('after-effect', 'cancel')
    await tell({ type: 'FinishCancel', receipts, ...bySystem(view) })
    reach('after-result', 'cancel')
  })
}
