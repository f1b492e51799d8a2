// The events of calls that run on the server, from the intent to the result.
import Type, { type TProperties } from 'typebox'
import { Block, MessageContent } from '../wire.ts'
import { AgentStep, CallId, ItemId, optional, Usage } from './schema.ts'

export const callEvents = {
  /**
   * A call is about to run. The intent is stored before each run. `attempt` is present from the second run on, which
   * follows a run with an unknown outcome. `safe`: the server may run the call again without asking a client. `child`:
   * the id of the subagent's task, which the same append creates.
   */
  EffectIntended: {
    effect_id: Type.String(),
    call_id: CallId,
    name: Type.String(),
    safe: optional(Type.Literal(true)),
    /** The call is a step of an environment session. After a crash the session says how the step ended. */
    in_session: optional(Type.Literal(true)),
    child: optional(Type.String()),
    attempt: optional(Type.Integer()),
  },
  /** More text of a running call. The first text begins the item of the result. */
  EffectSaid: {
    agent_step: AgentStep,
    effect_id: Type.String(),
    item_id: ItemId,
    call_id: CallId,
    first: optional(Type.Literal(true)),
    delta: Type.String(),
  },
  /** A call that has produced text will give no result. Its item ends with the text so far. */
  EffectCut: { agent_step: AgentStep, effect_id: Type.String(), item_id: ItemId, call_id: CallId },
  /**
   * The result of a call. Without an `effect_id` the call was refused and never ran. `child`: the stream of the
   * subagent's task, and the revision up to which it was read. `said`: the result begins with the text that the running
   * call produced, and `content` is the rest of the result.
   */
  EffectCompleted: {
    agent_step: AgentStep,
    effect_id: optional(Type.String()),
    item_id: ItemId,
    call_id: CallId,
    status: Type.Enum(['completed', 'incomplete']),
    said: optional(Type.Literal(true)),
    content: MessageContent,
    blocks: optional(Type.Array(Block)),
    child: optional(Type.Object({ stream: Type.String(), revision: Type.Integer() })),
    usage: optional(Usage),
    /** The call was this step of an environment session. */
    env_step: optional(Type.Object({ stream: Type.String(), revision: Type.Integer() })),
    /** The episode of the environment session is over. The agent has one more step, without tools. */
    ends: optional(Type.Enum(['terminated', 'truncated'])),
    /** The call was a turn of a group chat. It has no item, since a message of the chat holds what was said. */
    turn: optional(Type.Literal(true)),
  },
  /**
   * The receipt of a cancel. It names an effect that was running, and says whether the effect stopped within its
   * deadline.
   */
  EffectStopped: { effect_id: Type.String(), stopped: Type.Boolean() },
} satisfies Record<string, TProperties>
