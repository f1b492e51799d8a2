// The events of calls that wait until somebody approves or refuses them.
import Type, { type TProperties } from 'typebox'
import { OpenObject } from '../wire/schema.ts'
import { MessageContent } from '../wire.ts'
import { AgentStep, CallId, ItemId, optional } from './schema.ts'

export const approvalEvents = {
  /**
   * A call waits for an approval. `effect_id`: the effect that begins when the call is approved. `subagent`: what the code
   * of an agent gives to a subagent besides the arguments of the call.
   */
  ApprovalRequired: {
    agent_step: AgentStep,
    call_id: CallId,
    effect_id: Type.String(),
    subagent: optional(Type.Object({ input: MessageContent, config: optional(OpenObject) })),
  },
  /**
   * The principal `by` has decided about a call. An approved call has its intent in the same append, a refused one its
   * result. `arguments`: the call runs with these, and its item `item_id` shows them from now on.
   */
  ApprovalDecided: {
    agent_step: AgentStep,
    by: Type.String(),
    call_id: CallId,
    item_id: ItemId,
    decision: Type.Enum(['approve', 'refuse']),
    arguments: optional(Type.String()),
    reason: optional(Type.String()),
  },
} satisfies Record<string, TProperties>
