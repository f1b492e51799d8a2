// The part of a task's view that says why a task waits, for which calls, and until when. Each move to another state
// replaces these values.
import type { ToolCallItem } from '../../contract/wire.ts'
import { type Calls, callOf } from './calls.ts'
import { itemOf, type Output } from './output.ts'
import type { Part } from './part.ts'

export type Waits = {
  expiresAt: number | undefined
  reason: string | undefined
  pendingCalls: ToolCallItem[]
}

const enter = (view: Waits, expiresAt?: number, reason?: string, pendingCalls: ToolCallItem[] = []): void => {
  view.expiresAt = expiresAt
  view.reason = reason
  view.pendingCalls = pendingCalls
}
const leave = (view: Waits): void => enter(view)

export const waits: Part<Waits, Calls & Output> = {
  begin: leave,
  folds: {
    TaskCreated: (view, { expires_at }) => enter(view, expires_at),
    TaskQueued: (view, { expires_at }) => enter(view, expires_at),
    TaskStarted: leave,
    InputRequired(view, { calls, expires_at, turn }) {
      const own = turn === undefined ? calls : []
      const pending = own.map(id => itemOf(view, callOf(view, id).itemId) as ToolCallItem)
      enter(view, expires_at, undefined, turn?.items ?? pending)
    },
    InputAccepted(view, { item }) {
      if (item.type !== 'tool_result') return
      view.pendingCalls = view.pendingCalls.filter(({ call_id }) => call_id !== item.call_id)
    },
    InputAnswered: leave,
    TaskPaused: (view, { expires_at, reason }) => enter(view, expires_at, reason),
    TaskResumed: leave,
    TaskCompleted: leave,
    TaskFailed: leave,
    TaskCanceled: (view, { reason }) => enter(view, undefined, reason),
    TaskExpired: leave,
  },
}
