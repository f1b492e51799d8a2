// The agent and its steps.
// A new field is optional, because stored events lack it: docs/decisions/50-what-a-stored-event-once-gave.md
import Type, { type TProperties } from 'typebox'
import { OpenItem } from './items.ts'
import { Compressed, ModelRequest, ModelResponse } from './model-call.ts'
import { AgentStep, optional, Usage } from './schema.ts'

export const stepEvents = {
  AgentSpawned: { agent_id: Type.String(), workdir: Type.String(), parent_agent_id: optional(Type.String()) },
  AgentStepStarted: { agent_step: AgentStep, effect_id: Type.String() },
  /** From this step on the model is offered the tools of this stream. `changed`: it was offered others before. */
  ToolsOffered: {
    agent_step: AgentStep,
    stream: Type.String(),
    changed: optional(Type.Literal(true)),
  },
  /** The step asks for a summary of the items that are too long for the model. */
  CompressionStarted: { agent_step: AgentStep, compression_id: Type.String() },
  /**
   * `final`: the step is the agent's answer; the task is done when the calls of the step are. `rollout`: the rollout
   * entry is a frame of the stream. `request`, `response`: of the model call. `compressed`: the summary, if the step
   * asked for one.
   */
  AgentStepCompleted: {
    agent_step: AgentStep,
    effect_id: Type.String(),
    usage: optional(Usage),
    final: optional(Type.Literal(true)),
    rollout: optional(Type.Literal(true)),
    request: optional(ModelRequest),
    response: optional(ModelResponse),
    compressed: optional(Compressed),
  },
  /** The step ended without completing. Its items keep the text so far, and the step runs again. */
  AgentStepAbandoned: {
    agent_step: AgentStep,
    effect_id: Type.String(),
    items: Type.Array(OpenItem),
    /** The step broke off on its own, without a crash or a command. */
    broke_off: optional(Type.Literal(true)),
  },
  AgentCompleted: { agent_id: Type.String(), success: Type.Boolean() },
  AgentError: { agent_id: Type.String(), error: Type.String(), code: optional(Type.Integer()) },
} satisfies Record<string, TProperties>
