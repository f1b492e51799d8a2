// What the client brings while the task lives: answers to calls, and messages.
// A new field is optional, because stored events lack it: docs/decisions/50-what-a-stored-event-once-gave.md
import Type, { type TProperties } from 'typebox'
import { MessageItem, ToolResultItem } from '../wire.ts'
import { AgentStep, CallId, Deadline, From, ItemId, optional } from './schema.ts'

export const inputEvents = {
  /** Every server-side call of the turn has its result; these calls wait for the client. */
  InputRequired: { from: From, calls: Type.Array(CallId), expires_at: Deadline },
  /** Somebody answered a call, or wrote to the agent; seen by it when consumed. */
  InputAccepted: {
    by: Type.String(),
    agent_step: optional(AgentStep),
    item: Type.Union([ToolResultItem, MessageItem]),
    digest: optional(Type.String()),
    idempotency_key: optional(Type.String()),
  },
  InputAnswered: { from: From, ttl_seconds: optional(Type.Integer()) },
  /** What the step that follows sees of the accepted inputs, in this order. */
  InputConsumed: { agent_step: AgentStep, items: Type.Array(ItemId) },
} satisfies Record<string, TProperties>
