// Calls that run here, from the intent to the result.
// A new field is optional, because stored events lack it: docs/decisions/50-what-a-stored-event-once-gave.md
import Type, { type TProperties } from 'typebox'
import { Block, MessageContent } from '../wire.ts'
import { AgentStep, CallId, ItemId, optional, Usage } from './schema.ts'

export const callEvents = {
  /**
   * A call is about to run. Stored before it does, and again when it runs again although nobody knows how it
   * ended (`attempt`). `safe`: it may run again by itself; `child`: the task that does it, made in the same append.
   */
  EffectIntended: {
    effect_id: Type.String(),
    call_id: CallId,
    name: Type.String(),
    safe: optional(Type.Literal(true)),
    /** It is a step of an environment session, which is asked after a crash what became of it. */
    in_session: optional(Type.Literal(true)),
    child: optional(Type.String()),
    attempt: optional(Type.Integer()),
  },
  /** More of what a call says while it runs. Its first text begins the item of the result. */
  EffectSaid: {
    agent_step: AgentStep,
    effect_id: Type.String(),
    item_id: ItemId,
    call_id: CallId,
    first: optional(Type.Literal(true)),
    delta: Type.String(),
  },
  /** A call that has said something gives no result: its item ends as far as it came. */
  EffectCut: { agent_step: AgentStep, effect_id: Type.String(), item_id: ItemId, call_id: CallId },
  /**
   * The result of a call; without an effect_id it was refused and never ran. `child`: its stream, as far as read. `said`: the
   * result begins with what the call has said while it ran, and `content` is the rest of it.
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
    /** The step of an environment session that it was. */
    env_step: optional(Type.Object({ stream: Type.String(), revision: Type.Integer() })),
    /** There is no more to do: the task completes. */
    ends: optional(Type.Literal(true)),
  },
  /** The receipt of a cancel: what ran, and whether it stopped within its deadline. */
  EffectStopped: { effect_id: Type.String(), stopped: Type.Boolean() },
} satisfies Record<string, TProperties>
