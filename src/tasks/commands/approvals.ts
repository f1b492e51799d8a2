// The command with which somebody approves or refuses a call that waits for an approval.
import { isNewDecision } from '../../../actors/task/decide/decide-approval.ts'
import { approvedCall } from '../../../actors/task/step/approved-call.ts'
import type { ApprovalDecision } from '../../contract/approvals.ts'
import type { TaskCommand } from '../../contract/commands/commands.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import type { DecidedTask } from '../../history/task-view.ts'
import { askerOf, hasHeard } from './answer-turn.ts'
import { always, by, type CommandDeps, streamFor } from './deps.ts'

type Decide = Extract<TaskCommand, { type: 'DecideApproval' }>
type Deps = Pick<CommandDeps, 'runtime' | 'approving'>

/** An approved call is planned here, so that a person hears at once if it cannot run. The decision stores the plan. */
const decideIn = async (
  { runtime, approving }: Deps,
  stream: string,
  command: Decide,
): Promise<DecidedTask> => {
  const view = await runtime.until(stream, always)
  if (!isNewDecision(view, command)) return view
  if (command.decision === 'refuse') return runtime.ask(stream, command)
  const reserved: (() => void)[] = []
  try {
    const call = await approvedCall(approving, view, command.callId, command.arguments, reserved)
    return await runtime.ask(stream, call === undefined ? command : { ...command, call })
  } finally {
    for (const release of reserved) release()
  }
}

export const approvalCommands = (deps: CommandDeps) => ({
  /** Stores a decision about a call, in the task that waits for it: this one, or the task of its subagent or turn. */
  async decideApproval(
    principal: Principal,
    taskId: string,
    requestId: string,
    callId: string,
    decision: ApprovalDecision,
  ): Promise<DecidedTask> {
    const { runtime, queries, ids } = deps
    const stream = streamFor(queries, principal, taskId)
    const itemId = ids.next('tr_')
    const asked = by(principal, requestId)
    const command: Decide = { type: 'DecideApproval', callId, itemId, ...decision, ...asked }
    const asker = await askerOf(runtime, await runtime.until(stream, always), [callId])
    if (asker === undefined) return decideIn(deps, stream, command)
    await decideIn(deps, asker, command)
    return runtime.until(stream, hasHeard([callId]))
  },
})
