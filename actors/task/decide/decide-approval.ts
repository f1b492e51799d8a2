// Decides the events of an approval: somebody approves a call that waits, or refuses it. Pure.

import type { ApprovalDecision } from '../../../src/contract/approvals.ts'
import { isCanceling } from '../../../src/contract/charts/task-state.ts'
import type { TaskEvent } from '../../../src/contract/events/task-events.ts'
import { canonical } from '../../../src/contract/json/canonical.ts'
import { readJson } from '../../../src/contract/json/exact-json.ts'
import { Invalid, Refusal } from '../../../src/contract/refusals.ts'
import { callOf } from '../../../src/history/task/calls.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import { intentOf, standing } from './calls.ts'
import { type Decide, goesOn, onwards, statusOf, wrongState } from './events.ts'
import { makeChild } from './make-child.ts'

type Asked = Parameters<Decide<'DecideApproval'>>[1]

const given = ({ decision, arguments: args, reason }: Pick<Asked, 'decision' | 'arguments' | 'reason'>) => ({
  decision,
  ...(args === undefined ? {} : { arguments: args }),
  ...(reason === undefined ? {} : { reason }),
})

/** Arguments are the same when their values are, whatever the order of their keys. */
const isSame = (
  { arguments: one, ...a }: ApprovalDecision,
  { arguments: other, ...b }: ApprovalDecision,
): boolean =>
  canonical(a) === canonical(b) &&
  (one === other ||
    (one !== undefined && other !== undefined && canonical(readJson(one)) === canonical(readJson(other))))

/**
 * Whether a decision about a call is new. A repetition of the stored decision is not. Throws when the call needs no approval,
 * when another decision is stored, and when somebody has answered the call with a result.
 */
export const isNewDecision = (view: DecidedTask, asked: Asked): boolean => {
  const { callId } = asked
  const status = statusOf(view)
  const approval = view.approvals.get(callId)
  if (approval === undefined) {
    const msg = 'This call does not wait for an approval'
    throw new Invalid([{ loc: ['body', 'call_id'], msg, type: 'value_error' }])
  }
  if (approval.decided !== undefined) {
    if (isSame(approval.decided, given(asked))) return false
    throw new Refusal('AlreadyAnswered', { call_id: callId })
  }
  if (view.calls.get(callId)?.ended !== false) throw new Refusal('AlreadyAnswered', { call_id: callId })
  if (isCanceling(view.state) || (status !== 'working' && status !== 'input-required')) {
    throw wrongState(view, 'approve', ['working', 'input-required'])
  }
  return true
}

const refusedBy = (by: string, reason: string | undefined): string =>
  `the call was refused by ${by}${reason === undefined ? '' : `: ${reason}`}`

// An approved call begins in the append that stores the approval. A task whose other calls still wait works meanwhile, and
// waits for them again when this call has its result.
export const decideApproval: Decide<'DecideApproval'> = (view, asked, at) => {
  if (!isNewDecision(view, asked)) return []
  const { callId: call_id, itemId, call, decision, reason, principal } = asked
  const agent_step = view.completedSteps
  const item_id = callOf(view, call_id).itemId
  const { effectId = '' } = view.approvals.get(call_id) ?? {}
  const decided: TaskEvent = {
    type: 'ApprovalDecided',
    data: { agent_step, by: principal, call_id, item_id, ...given(asked) },
  }
  const wakes = view.status === 'input-required' ? [goesOn(at)] : []
  if (call?.plan === 'run') return [decided, ...wakes, ...intentOf(call, effectId)]
  if (call?.plan === 'delegate') {
    return {
      events: [decided, ...wakes, ...intentOf(call, effectId)],
      made: [makeChild(call.child, view, at)],
    }
  }
  if (call !== undefined && call.plan !== 'refuse') throw new Error('an approved call must run')
  const content = decision === 'refuse' ? refusedBy(principal, reason) : (call?.why ?? '')
  const refused: TaskEvent = {
    type: 'EffectCompleted',
    data: { agent_step, item_id: itemId, call_id, status: 'incomplete', content },
  }
  // The code of an agent goes on at the first result, and may wait for the others again.
  if (view.agentVersion !== undefined) return [decided, ...wakes, refused]
  const after = standing(view, new Set([call_id]))
  if (view.status === 'input-required' && after.waiting.length > 0) return [decided, refused]
  return [decided, ...wakes, refused, ...onwards(after, view, at)]
}
