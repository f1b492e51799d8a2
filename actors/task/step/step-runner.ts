// Runs the agent step of one task: starts the step that the state wants, and stops a step that is no longer wanted.
import { effectIdOf } from '../../../src/history/task/steps.ts'
import type { TaskDeps } from '../deps.ts'
import { secretsOf } from '../scope.ts'
import { bySystem, type Self, sendToSelf } from '../self.ts'
import { type RunningStep, runStep } from './step.ts'
import { stepGiven } from './step-given.ts'

export const createStepRunner = (self: Self, deps: TaskDeps) => {
  const { view, tell } = self
  let running: RunningStep | undefined

  const start = (agentStep: number, effectId: string) => {
    const { created } = view
    if (created === undefined || deps.draining()) return
    const secrets = secretsOf(deps, created)
    if (secrets === undefined) return sendToSelf(self, { type: 'PauseNow', reason: 'secret_missing' })
    const agent = deps.agents(created.agent)
    if (agent === undefined) return sendToSelf(self, { type: 'PauseNow', reason: 'agent_missing' })
    const cause = bySystem(view)
    /** Functions that release the places of subagents' tasks which are not stored yet. */
    const reserved: (() => void)[] = []
    const step = runStep(
      agent,
      stepGiven(deps, view, { created, agentStep, effectId, secrets, reserved }),
      report => tell({ type: 'RecordStep', agentStep, effectId, ...report, ...cause }),
      { ...deps.world, pace: deps.pace },
    )
    running = step
    void step.settled.then(() => {
      for (const release of reserved) release()
      if (running === step) running = undefined
    })
  }

  const stop = () => {
    running?.abort()
    running = undefined
  }

  return {
    running: () => running,
    /** Starts a step, unless one runs. */
    follow(agentStep: number, effectId: string) {
      if (running === undefined) start(agentStep, effectId)
    },
    stop,
    /** Stops a step whose end is stored. The next step does not wait until the agent of this step has returned. */
    forgetEnded() {
      if (running === undefined) return
      const { agentStep, effectId } = running
      const isOver =
        view.completedSteps >= agentStep || (view.openStep === undefined && effectId !== effectIdOf(view))
      if (isOver) stop() // an abandoned step may still be running
    },
  }
}
export type StepRunner = ReturnType<typeof createStepRunner>
