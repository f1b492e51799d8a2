// Runs the effects of one task: starts the agent step and the calls that its state wants, and stops all others.
import type { TaskCommand } from '../../src/contract/commands.ts'
import { isTerminal } from '../../src/contract/wire.ts'
import { openCalls } from '../../src/history/task/calls.ts'
import { createCallRunner } from './call-runner.ts'
import type { Children } from './children.ts'
import type { TaskDeps } from './deps.ts'
import { finishCancel } from './finish-cancel.ts'
import { instantStep } from './instant-step.ts'
import { secretsOf } from './scope.ts'
import { type Self, sendToSelf } from './self.ts'
import { createStepRunner } from './step-runner.ts'
import { type Runs, type Wanted, wanted } from './wanted.ts'

/** `lookAgain`: compares again what the task wants with what runs. */
export const createEffects = (self: Self, deps: TaskDeps, children: Children, lookAgain: () => void) => {
  const { view } = self
  const steps = createStepRunner(self, deps)
  const calls = createCallRunner({ deps, children, ...self }, lookAgain)
  let isCanceling = false

  const cancel = () => {
    if (isCanceling) return
    isCanceling = true
    finishCancel(self, deps, steps, calls)
  }
  const followCalls = ({ calls: open }: Extract<Wanted, { want: 'calls' }>) => {
    if (view.created !== undefined && secretsOf(deps, view.created) === undefined) {
      return sendToSelf(self, { type: 'PauseNow', reason: 'secret_missing' })
    }
    for (const call of open) calls.follow(call)
  }

  const runs = (): Runs => ({
    step: steps.running()?.effectId,
    call: calls.isRunning,
    unknown: calls.isUnknown,
  })

  return {
    /** The report of the step that the state wants, if its agent answers without waiting. */
    next(): TaskCommand | undefined {
      if (steps.running() !== undefined) return undefined
      const want = wanted(view, runs())
      return want.want === 'step' ? instantStep(self, deps, want) : undefined
    },
    /** Receives the ids of the effects whose intents are stored next. */
    intend: calls.intend,
    /** Starts the effects that the state wants and that do not run; stops effects that the state does not want. */
    reconcile() {
      calls.forgetEnded()
      steps.forgetEnded()
      const want = wanted(view, runs())
      if (want.want === 'step') return steps.follow(want.agentStep, want.effectId)
      if (want.want === 'finish-cancel') return cancel()
      steps.stop()
      if (want.want === 'calls') followCalls(want)
      if (want.want === 'consume') sendToSelf(self, { type: 'ConsumeInputs' })
      if (want.want === 'abandon') sendToSelf(self, { type: 'AbandonStep' })
      if (want.want === 'pause') sendToSelf(self, { type: 'PauseNow', reason: want.reason })
    },
    isBusy(): boolean {
      if (steps.running() !== undefined || (isCanceling && !isTerminal(view.status))) return true
      // A subagent's task runs on its own, so its caller may leave memory meanwhile.
      return view.status === 'working' && openCalls(view).some(({ effect }) => effect.child === undefined)
    },
    /** Stops the step. Calls continue: they outlive the actor. */
    stop: steps.stop,
  }
}
