// Plans a call that somebody approves: with the arguments of the agent, or with others.
import type { PlannedCall } from '../../../src/contract/commands/commands.ts'
import { Invalid, Refusal } from '../../../src/contract/refusals.ts'
import { ToolsUnavailable } from '../../../src/contract/tools.ts'
import type { ToolCallItem } from '../../../src/contract/wire.ts'
import { awaitsApproval } from '../../../src/history/task/approvals.ts'
import { callOf } from '../../../src/history/task/calls.ts'
import { itemOf } from '../../../src/history/task/output.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import { giveSubagent } from '../code/plan-turn.ts'
import type { TaskDeps } from '../deps.ts'
import { scopeOf } from '../scope.ts'
import { planCalls } from './planning.ts'

export type ApprovalDeps = Pick<TaskDeps, 'tools' | 'agentOf' | 'reserve' | 'world' | 'secrets'>

/**
 * How an approved call is handled; undefined: the call does not wait for an approval any more. `given`: JSON text in place of
 * the arguments of the agent. Throws a Refusal when the call cannot run with these, or when its tools are not available now.
 * `reserved` collects functions: each releases the place that was kept for a subagent's task.
 */
export const approvedCall = async (
  deps: ApprovalDeps,
  view: DecidedTask,
  callId: string,
  given: string | undefined,
  reserved: (() => void)[],
): Promise<PlannedCall | undefined> => {
  const { created } = view
  if (created === undefined || !awaitsApproval(view, callId)) return undefined
  const { name, itemId } = callOf(view, callId)
  const text = given ?? (itemOf(view, itemId) as ToolCallItem).arguments
  const agentStep = view.completedSteps
  const isOver = view.lastCall !== undefined
  const caller = { created, agentStep, scope: scopeOf(deps, created), isOver, isApproved: true }
  const said = [{ callId, name, arguments: text }]
  const never = new AbortController().signal
  const [call] = await planCalls(deps, caller, said, never, reserved).catch(error => {
    if (error instanceof ToolsUnavailable) throw new Refusal('ToolsAway', undefined, error.message)
    throw error
  })
  if (call?.plan === 'refuse' && given !== undefined) {
    throw new Invalid([{ loc: ['body', 'arguments'], msg: call.why, type: 'value_error' }])
  }
  const { subagent } = view.approvals.get(callId) ?? {}
  if (call?.plan === 'delegate' && subagent !== undefined) {
    const { request } = call.child
    giveSubagent(
      request,
      given === undefined ? subagent : { ...subagent, input: request.user_message_content },
    )
  }
  return call
}
