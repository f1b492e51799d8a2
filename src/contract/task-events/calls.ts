// The events of calls that run on the server, from the intent to the result.
import Type, { type Static, type TProperties } from 'typebox'
import { entryErrorKinds } from '../code-agent.ts'
import { PendingMetadata } from '../wire/items.ts'
import { Block, MessageContent } from '../wire.ts'
import { OpenItem } from './items.ts'
import { ModelRequest, ModelResponse } from './model-call.ts'
import { AgentStep, CallId, ItemId, OriginalAt, optional, Usage } from './schema.ts'

/** An error that the code of an agent gets for a call. */
const CallError = Type.Object({
  kind: Type.Enum([...entryErrorKinds]),
  name: optional(Type.String()),
  code: optional(Type.Integer()),
  data: optional(Type.Unknown()),
})

/**
 * What a call of a model stores besides its items. `tools`: the stream of the tools that it was offered. `rollout`: the
 * rollout entry of the call is a frame of the stream.
 */
const ModelAnswer = Type.Object({
  request: optional(ModelRequest),
  response: optional(ModelResponse),
  tools: optional(Type.String()),
  rollout: optional(Type.Literal(true)),
})

/** A question that a running call asks the client. */
const Question = Type.Object({
  call_id: CallId,
  name: Type.String(),
  arguments: Type.String(),
  metadata: optional(PendingMetadata),
})
export type Question = Static<typeof Question>

/** The answer to a question. `incomplete`: the client does not answer it. */
const Answer = Type.Object({
  call_id: CallId,
  by: Type.String(),
  status: Type.Enum(['completed', 'incomplete']),
  content: MessageContent,
})
export type Answer = Static<typeof Answer>

/**
 * What is new about the questions of a running call. `state`: the questions replace all earlier ones, and a later process can go on
 * with their answers and with this text of the tool; without it, they are further ones, which end with the process that asks them.
 * `digest`: of the request that gave the answers, unless an InputAccepted of the same append has it.
 */
const Asks = Type.Object({
  questions: optional(Type.Array(Question)),
  state: optional(Type.String()),
  answers: optional(Type.Array(Answer)),
  digest: optional(Type.String()),
  withdrawn: optional(Type.Array(CallId)),
})
export type Asks = Static<typeof Asks>

export const callEvents = {
  /**
   * A call is about to run. The intent is stored before each run. `attempt` is present from the second run on, which
   * follows a run with an unknown outcome. `safe`: the server may run the call again without asking a client. `child`:
   * the id of the subagent's task, which the same append creates. `bare`: only the code of the agent sees the call and its
   * result, so it has no items; its `call_id` is the id of its effect.
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
    bare: optional(Type.Literal(true)),
  },
  /**
   * What runs the call outside of this server goes on with it by itself, and has given a name for it. After a restart the call goes
   * on under this name, and does not run again. Without a `promise`, it runs here again from now on. `asks`: the call
   * asks the client; without it, the call asks nothing any more.
   */
  EffectPromised: {
    effect_id: Type.String(),
    call_id: CallId,
    promise: optional(Type.String()),
    asks: optional(Asks),
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
  /**
   * A call that has produced text will give no result, or begins again. Its item ends with the text so far. `items`: the
   * open items of a call of a model, in place of the one item.
   */
  EffectCut: {
    agent_step: AgentStep,
    effect_id: Type.String(),
    item_id: optional(ItemId),
    call_id: CallId,
    items: optional(Type.Array(OpenItem)),
  },
  /**
   * The result of a call. Without an `effect_id` the call was refused and never ran. `child`: the stream of the
   * subagent's task, and the revision up to which it was read. `said`: the result begins with the text that the running
   * call produced, and `content` is the rest of the result. A `bare` call has no item; its content is JSON text, or the
   * message of its error.
   */
  EffectCompleted: {
    agent_step: AgentStep,
    effect_id: optional(Type.String()),
    item_id: optional(ItemId),
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
    bare: optional(Type.Literal(true)),
    /** Why the code of the agent gets an error and no value. */
    error: optional(CallError),
    /** The call waited for a message of the user: this one came. */
    message: optional(ItemId),
    /** The call was a call of a model. The step of the agent goes on, so the usage is that of this task. */
    model: optional(ModelAnswer),
    original_at: OriginalAt,
  },
  /**
   * The receipt of a cancel. It names an effect that was running, and says whether the effect stopped within its
   * deadline.
   */
  EffectStopped: { effect_id: Type.String(), stopped: Type.Boolean() },
} satisfies Record<string, TProperties>
