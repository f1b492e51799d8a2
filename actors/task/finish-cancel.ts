// Finishes a cancel: stops what runs, and reports for each effect whether it stopped within its deadline.
import type { CallRunner } from './call-runner.ts'
import type { TaskDeps } from './deps.ts'
import { receiptsOf } from './receipts.ts'
import { bySystem, type Self } from './self.ts'
import type { StepRunner } from './step-runner.ts'

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
