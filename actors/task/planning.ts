// Decides who handles each call of a step. A subagent's task is prepared here and stored together with its intent.
import type { PlannedCall } from '../../src/contract/commands.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { TaskEventData } from '../../src/contract/task-events.ts'
import type { CallPlan, ToolScope } from '../../src/contract/tools.ts'
import { childOf } from './child.ts'
import type { TaskDeps } from './deps.ts'
import type { SaidCall } from './step-draft.ts'

const episodeOver: CallPlan = {
  plan: 'refuse',
  why: 'the episode of the environment session is over, so no tool can be called any more',
}

/** `isOver`: the episode of the environment session has ended, so every call is refused. */
type Caller = { created: TaskEventData<'TaskCreated'>; agentStep: number; scope: ToolScope; isOver: boolean }

/** `reserved` collects functions: each releases the place that was kept for a subagent's task. */
export const planCalls = (
  { tools, agentOf, reserve, world }: Pick<TaskDeps, 'tools' | 'agentOf' | 'reserve' | 'world'>,
  { created, agentStep, scope, isOver }: Caller,
  said: readonly SaidCall[],
  signal: AbortSignal,
  reserved: (() => void)[],
): Promise<PlannedCall[]> => {
  const one = async (call: SaidCall): Promise<PlannedCall> => {
    const { callId, name, turn } = call
    if (turn !== undefined) {
      const child = childOf(created, agentStep, agentOf(turn.request), turn.request, world.ids, turn)
      reserved.push(reserve(child))
      return { callId, name, plan: 'delegate', child, turn }
    }
    const planned: CallPlan = isOver ? episodeOver : await tools.plan(scope, call, signal)
    if (planned.plan === 'refuse') return { callId, ...planned, itemId: world.ids.next('tr_') }
    if (planned.plan === 'client') return { callId, name, arguments: call.arguments, ...planned }
    if (planned.plan !== 'delegate') return { callId, name, ...planned }
    const child = childOf(created, agentStep, planned.agent, planned.request, world.ids)
    try {
      reserved.push(reserve(child))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { callId, plan: 'refuse', why: error.message, itemId: world.ids.next('tr_') }
    }
    return { callId, name, plan: 'delegate', child }
  }
  return Promise.all(said.map(one))
}
