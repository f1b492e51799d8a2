// The events of inputs that clients send to a task after its creation: answers to calls, and messages.
import Type, { type Static, type TProperties } from 'typebox'
import { MessageItem, ToolCallItem, ToolResultItem } from '../wire.ts'
import { AgentStep, CallId, Deadline, From, ItemId, optional } from './schema.ts'

/** The greatest length of the arguments in an `Ask`, in characters. */
export const longestAsk = 4096
/** A call that waits for the client. `arguments`: JSON text; absent if it is longer than `longestAsk`. */
export const Ask = Type.Object({ call_id: CallId, name: Type.String(), arguments: optional(Type.String()) })
export type Ask = Static<typeof Ask>
/** The most calls whose questions subscribers hear. */
export const mostAsks = 16

export const asked = ({ call_id, name, arguments: args }: Required<Ask>): Ask => ({
  ...{ call_id, name },
  ...(args.length > longestAsk ? {} : { arguments: args }),
})

export const inputEvents = {
  /**
   * The task waits for its client. Every call that runs on the server has its result; `calls` are the calls that wait
   * for the client.
   */
  InputRequired: {
    from: From,
    calls: Type.Array(CallId),
    /** What these calls ask, for subscribers; absent for a turn, which has `items`. Long arguments are left out. */
    asks: optional(Type.Array(Ask)),
    expires_at: Deadline,
    /** The calls belong to a turn of this group chat. Answers to the chat are passed on to the task of the turn. */
    turn: optional(Type.Object({ task_id: Type.String(), items: Type.Array(ToolCallItem) })),
  },
  /** A client answered a call or wrote to the agent. The agent sees the input after an event InputConsumed. */
  InputAccepted: {
    by: Type.String(),
    agent_step: optional(AgentStep),
    item: Type.Union([ToolResultItem, MessageItem]),
    digest: optional(Type.String()),
    idempotency_key: optional(Type.String()),
  },
  InputAnswered: { from: From, ttl_seconds: optional(Type.Integer()) },
  /** The accepted inputs that the following step sees, in this order. */
  InputConsumed: { agent_step: AgentStep, items: Type.Array(ItemId) },
} satisfies Record<string, TProperties>
