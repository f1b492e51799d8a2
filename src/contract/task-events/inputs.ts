// The events of inputs that clients send to a task after its creation: answers to calls, and messages.
import Type, { type TProperties } from 'typebox'
import { Ask } from '../events/public-events.ts'
import { MessageItem, PendingCallItem, ToolResultItem } from '../wire.ts'
import { AgentStep, CallId, Deadline, From, ItemId, OriginalAt, optional } from './schema.ts'

/** The greatest length of the arguments in an `Ask`, in characters. */
export const longestAsk = 4096
/** The most calls whose questions subscribers hear. */
export const mostAsks = 16

/** A call that waits, with all of its arguments. */
export type WaitingCall = Ask & { arguments: string }

export const asked = ({ call_id, name, arguments: args, metadata }: WaitingCall): Ask => ({
  ...{ call_id, name },
  ...(args.length > longestAsk ? {} : { arguments: args }),
  ...(metadata === undefined ? {} : { metadata }),
})

export const inputEvents = {
  /**
   * The task waits for its client. Every call that runs on the server has its result; `calls` are the calls that wait
   * for the client.
   */
  InputRequired: {
    from: From,
    calls: Type.Array(CallId),
    /** What these calls ask, for subscribers; absent if there is a `turn`, which has `items`. Long arguments are left out. */
    asks: optional(Type.Array(Ask)),
    expires_at: Deadline,
    /** When a timer of the agent's code ends the wait, in milliseconds since 1970. */
    until: Deadline,
    /** The calls belong to the task of a turn or of a subagent. What a client answers here is passed on to that task. */
    turn: optional(Type.Object({ task_id: Type.String(), items: Type.Array(PendingCallItem) })),
  },
  /** A client answered a call or wrote to the agent. The agent sees the input after an event InputConsumed. */
  InputAccepted: {
    by: Type.String(),
    agent_step: optional(AgentStep),
    item: Type.Union([ToolResultItem, MessageItem]),
    /** The message is this event for the statechart of the agent. */
    event: optional(Type.Object({ type: Type.String() }, { additionalProperties: true })),
    original_at: OriginalAt,
    digest: optional(Type.String()),
    idempotency_key: optional(Type.String()),
  },
  InputAnswered: { from: From, ttl_seconds: optional(Type.Integer()) },
  /** The accepted inputs that the following step sees, in this order. */
  InputConsumed: { agent_step: AgentStep, items: Type.Array(ItemId) },
} satisfies Record<string, TProperties>
