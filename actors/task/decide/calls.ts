// Decides which events are stored when an agent step makes calls, and derives the progress of the calls. Pure.
import type { PlannedCall } from '../../../src/contract/commands/commands.ts'
import type { TaskEvent, WaitingCall } from '../../../src/contract/events/task-events.ts'
import type { ToolCallItem } from '../../../src/contract/wire.ts'
import { awaitsApproval } from '../../../src/history/task/approvals.ts'
import {
  type AskedQuestion,
  type Call,
  callEffectId,
  isAsking,
  isPassive,
  openQuestions,
} from '../../../src/history/task/calls.ts'
import { itemOf } from '../../../src/history/task/output.ts'
import type { DecidedTask } from '../../../src/history/task-view.ts'
import { thinkingOf } from '../step/turn-begins.ts'

/** The progress of the calls of the newest step. */
export type Standing = {
  /** A call runs on the server. */
  running: boolean
  /** A call that ends the task was made. This counts only while no call runs. */
  stopped: boolean
  /** What the client is asked: the calls that wait for it or for an approval, and the questions of running calls, oldest first. */
  waiting: WaitingCall[]
  /** The agent gave its answer in the same step. */
  final: boolean
}

const approval = { approval: true } as const

/** A planned call that waits; undefined: it does not wait. */
export const waitOf = (call: PlannedCall): WaitingCall | undefined => {
  if (call.plan !== 'client' && call.plan !== 'approve') return undefined
  const { callId: call_id, name, arguments: args } = call
  return { call_id, name, arguments: args, ...(call.plan === 'approve' ? { metadata: approval } : {}) }
}

/** A stored call that waits. */
export const storedWait = (view: DecidedTask, { callId, name, itemId }: Call): WaitingCall => {
  const { arguments: text } = itemOf(view, itemId) as ToolCallItem
  const more = awaitsApproval(view, callId) ? { metadata: approval } : {}
  return { call_id: callId, name, arguments: text, ...more }
}

/** A question of a running call, as a call that waits. */
const askedWait = ({ call_id, name, arguments: text, metadata }: AskedQuestion): WaitingCall => {
  const { asked_by, url } = metadata ?? {}
  const said = { ...(asked_by === undefined ? {} : { asked_by }), ...(url === undefined ? {} : { url }) }
  return { call_id, name, arguments: text, metadata: said }
}

/** What the client is asked for a stored call that has no result: the call itself, or what it asks. */
export const waitsFor = (view: DecidedTask, call: Call): WaitingCall[] =>
  call.effect === undefined ? [storedWait(view, call)] : openQuestions(call).map(askedWait)

/**
 * The events for the calls of a completed step: an intent for each call that the server runs, a result for each refused
 * call.
 */
export const planned = (
  calls: PlannedCall[],
  agentStep: number,
  stepEffectId: string,
  first = 1,
): TaskEvent[] =>
  calls.flatMap((call, index): TaskEvent[] => {
    const call_id = call.callId
    if (call.plan === 'client') return []
    if (call.plan === 'refuse') {
      const { itemId, why } = call
      const data = {
        agent_step: agentStep,
        item_id: itemId,
        call_id,
        status: 'incomplete',
        content: why,
      } as const
      return [{ type: 'EffectCompleted', data }]
    }
    const effect_id = callEffectId(stepEffectId, first + index)
    if (call.plan === 'approve') {
      const { subagent } = call
      const more = subagent === undefined ? {} : { subagent }
      return [{ type: 'ApprovalRequired', data: { agent_step: agentStep, call_id, effect_id, ...more } }]
    }
    return intentOf(call, effect_id)
  })

/** The intent of a call that the server runs. */
export const intentOf = (
  call: Extract<PlannedCall, { plan: 'run' | 'delegate' }>,
  effect_id: string,
): TaskEvent[] => {
  const { callId: call_id, name } = call
  if (call.plan === 'delegate' && call.turn !== undefined) {
    const thinking: TaskEvent = {
      type: 'GroupChatAgentThinking',
      data: thinkingOf(call.callId, call.child, call.turn),
    }
    return [
      thinking,
      { type: 'EffectIntended', data: { effect_id, call_id, name, child: call.child.task_id } },
    ]
  }
  if (call.plan === 'delegate') {
    return [{ type: 'EffectIntended', data: { effect_id, call_id, name, child: call.child.task_id } }]
  }
  const safe = call.safe ? { safe: true as const } : {}
  const inSession = call.inSession ? { in_session: true as const } : {}
  return [{ type: 'EffectIntended', data: { effect_id, call_id, name, ...safe, ...inSession } }]
}

/** The progress of calls that are about to be stored. */
export const callsAfter = (calls: PlannedCall[], view: DecidedTask, final: boolean): Standing => {
  const stops = new Set(view.created?.request.stop_tools ?? [])
  return {
    running: calls.some(({ plan }) => plan === 'run' || plan === 'delegate'),
    stopped: calls.some(call => call.plan === 'client' && stops.has(call.name)),
    waiting: calls.flatMap(call => waitOf(call) ?? []),
    final,
  }
}

/** The progress of the stored calls, as if the calls in `ended` had their results, too. */
export const standing = (view: DecidedTask, ended: ReadonlySet<string> = new Set()): Standing => {
  const stops = new Set(view.created?.request.stop_tools ?? [])
  const calls = [...view.calls.values()]
  const open = calls.filter(call => call.ended === false && !ended.has(call.callId))
  return {
    running: open.some(call => call.effect !== undefined && !isPassive(call) && !isAsking(call)),
    stopped:
      !open.some(isAsking) &&
      calls.some(
        call => call.ended !== 'refused' && stops.has(call.name) && !awaitsApproval(view, call.callId),
      ),
    waiting: open.flatMap(call => waitsFor(view, call)),
    final: view.finalStep,
  }
}
