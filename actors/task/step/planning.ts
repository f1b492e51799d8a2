// Decides who handles each call of a step. A subagent's task is prepared here and stored together with its intent.
import { needsApproval, type ToolOrigin } from '../../../src/contract/approvals.ts'
import type { PlannedCall } from '../../../src/contract/commands/commands.ts'
import type { TaskEventData } from '../../../src/contract/events/task-events.ts'
import { Refusal } from '../../../src/contract/refusals.ts'
import type { CallPlan, ToolScope } from '../../../src/contract/tools.ts'
import { childOf } from '../calls/child.ts'
import type { TaskDeps } from '../deps.ts'
import type { SaidCall } from './step-draft.ts'

const episodeOver: CallPlan = {
  plan: 'refuse',
  why: 'the episode of the environment session is over, so no tool can be called any more',
}

/**
 * `isOver`: the episode of the environment session has ended, so every call is refused. `isApproved`: somebody has
 * approved the calls.
 */
type Caller = {
  created: TaskEventData<'TaskCreated'>
  agentStep: number
  scope: ToolScope
  isOver: boolean
  isApproved?: boolean
}

const originOf = (plan: Extract<CallPlan, { plan: 'run' | 'delegate' }>): ToolOrigin | undefined =>
  plan.plan === 'run' ? plan.origin : `agent:${plan.agent}`

/** `reserved` collects functions: each releases the place that was kept for a subagent's task. */
export const planCalls = (
  { tools, agentOf, reserve, world }: Pick<TaskDeps, 'tools' | 'agentOf' | 'reserve' | 'world'>,
  { created, agentStep, scope, isOver, isApproved = false }: Caller,
  said: readonly SaidCall[],
  signal: AbortSignal,
  reserved: (() => void)[],
): Promise<PlannedCall[]> => {
  const one = async (call: SaidCall): Promise<PlannedCall> => {
    const { callId, name, turn } = call
    if (turn !== undefined) {
      const agent = agentOf(turn.request, created.user_id)
      const child = childOf(created, agentStep, agent, turn.request, world.ids, turn)
      reserved.push(reserve(child))
      return { callId, name, plan: 'delegate', child, turn }
    }
    const planned: CallPlan = isOver ? episodeOver : await tools.plan(scope, call, signal)
    if (planned.plan === 'refuse') return { callId, ...planned, itemId: world.ids.next('tr_') }
    if (planned.plan === 'client') return { callId, name, arguments: call.arguments, ...planned }
    const { approve } = created.request.agent_config ?? {}
    if (!isApproved && needsApproval(approve, name, originOf(planned))) {
      return { callId, name, arguments: call.arguments, plan: 'approve' }
    }
    if (planned.plan === 'run') {
      const { origin: _, ...run } = planned
      return { callId, name, ...run }
    }
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
