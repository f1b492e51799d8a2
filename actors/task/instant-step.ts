// Takes the first step of an agent that answers without waiting. The report of the step is decided in the turn that
// starts the task, so one commit stores the whole task.
import type { TaskCommand } from '../../src/contract/commands.ts'
import type { TaskDeps } from './deps.ts'
import { createRecorder } from './recorder.ts'
import { secretsOf } from './scope.ts'
import { bySystem, type Self } from './self.ts'
import { failedWith, isWhole, withIds } from './step-end.ts'
import { askedOf, schemaOf } from './step-given.ts'

/** The report of the step; undefined: the step must run on its own. */
export const instantStep = (
  { view }: Pick<Self, 'view'>,
  deps: Pick<TaskDeps, 'agents' | 'draining' | 'secrets' | 'world'>,
  { agentStep, effectId }: { agentStep: number; effectId: string },
): TaskCommand | undefined => {
  const { created } = view
  // A later step waits for its turn among the steps of other users.
  if (created === undefined || agentStep > 1 || deps.draining()) return undefined
  const reply = deps.agents(created.agent)?.reply
  if (reply === undefined || schemaOf(created.request) !== undefined) return undefined
  // The answer to a request that creates a task in the background must show a task that has not ended.
  if (created.request.background) return undefined
  if (secretsOf(deps, created) === undefined) return undefined
  const { ids } = deps.world
  const recorder = createRecorder(agentStep, ids, { stream: view.toolList, odd: view.oddTools })
  const answer = () => {
    try {
      const { said, end } = reply({ asked: askedOf(view, created.request) })
      for (const part of said) recorder.hear(part)
      return end
    } catch (error) {
      return failedWith(error).end
    }
  }
  const end = answer()
  if (isWhole(end)) recorder.close()
  const recorded = withIds(end, recorder, ids)
  return {
    type: 'RecordStep',
    agentStep,
    effectId,
    events: recorder.take(),
    end: recorded,
    ...bySystem(view),
  }
}
