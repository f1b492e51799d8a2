// The part of a task's view that says why a task waits, for which calls, and until when. Each move to another state
// replaces these values.
import type { PendingCallItem, ToolCallItem } from '../../contract/wire.ts'
import { type Approvals, awaitsApproval } from './approvals.ts'
import { type Calls, callOf } from './calls.ts'
import { itemOf, type Output } from './output.ts'
import type { Part } from './part.ts'

export type Waits = {
  expiresAt: number | undefined
  reason: string | undefined
  pendingCalls: PendingCallItem[]
  /** The task of the turn or of the subagent that waits for these calls; undefined: this task. */
  pendingTask: string | undefined
}

const enter = (
  view: Waits,
  expiresAt?: number,
  reason?: string,
  pendingCalls: PendingCallItem[] = [],
  pendingTask?: string,
): void => {
  view.expiresAt = expiresAt
  view.reason = reason
  view.pendingCalls = pendingCalls
  view.pendingTask = pendingTask
}
const leave = (view: Waits): void => enter(view)

/** The call as the client sees it while it waits. */
const pendingCall = (view: Calls & Approvals & Output, callId: string): PendingCallItem => {
  const question = view.questions.get(callId)
  if (question !== undefined) {
    const { answer: _, ...asked } = question
    return { type: 'tool_call', id: callId, status: 'completed', ...asked }
  }
  const { itemId, schema } = callOf(view, callId)
  const item = itemOf(view, itemId) as ToolCallItem
  if (awaitsApproval(view, callId)) return { ...item, metadata: { approval: true } }
  return schema === undefined ? item : { ...item, metadata: { schema: schema as Record<string, unknown> } }
}
const answer = (view: Waits, callId: string): void => {
  view.pendingCalls = view.pendingCalls.filter(({ call_id }) => call_id !== callId)
}

export const waits: Part<Waits, Calls & Approvals & Output> = {
  begin: leave,
  folds: {
    TaskCreated: (view, { expires_at }) => enter(view, expires_at),
    TaskQueued: (view, { expires_at }) => enter(view, expires_at),
    TaskStarted: leave,
    InputRequired(view, { calls, expires_at, turn }) {
      const own = turn === undefined ? calls : []
      const pending = own.map(id => pendingCall(view, id))
      enter(view, expires_at, undefined, turn?.items ?? pending, turn?.task_id)
    },
    InputAccepted(view, { item }) {
      if (item.type === 'tool_result') answer(view, item.call_id)
    },
    EffectPromised(view, { asks }) {
      for (const { call_id } of asks?.answers ?? []) answer(view, call_id)
    },
    ApprovalDecided: (view, { call_id }) => answer(view, call_id),
    InputAnswered: leave,
    TaskPaused: (view, { expires_at, reason }) => enter(view, expires_at, reason),
    TaskResumed: leave,
    TaskCompleted: leave,
    TaskFailed: leave,
    TaskCanceled: (view, { reason }) => enter(view, undefined, reason),
    TaskExpired: leave,
  },
}
