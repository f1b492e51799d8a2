// The events of an agent and its steps.
import Type, { type TProperties } from 'typebox'
import { OddTool } from '../wire.ts'
import { OpenItem } from './items.ts'
import { Compressed, ModelRequest, ModelResponse } from './model-call.ts'
import { AgentStep, optional, Usage } from './schema.ts'

export const stepEvents = {
  AgentSpawned: { agent_id: Type.String(), workdir: Type.String(), parent_agent_id: optional(Type.String()) },
  AgentStepStarted: { agent_step: AgentStep, effect_id: Type.String() },
  /**
   * From this step on the model is offered the tools in the list of this stream. `changed`: the model was offered other
   * tools before. `odd`: tools of MCP servers that were mended or left out.
   */
  ToolsOffered: {
    agent_step: AgentStep,
    stream: Type.String(),
    changed: optional(Type.Literal(true)),
    odd: optional(Type.Array(OddTool)),
  },
  /** The step asks for a summary of the items that are too long for the model. */
  CompressionStarted: { agent_step: AgentStep, compression_id: Type.String() },
  /**
   * `final`: the step gave the agent's answer, and the task is completed when the calls of the step have results.
   * `rollout`: the rollout entry of the step is a frame of the stream. `request` and `response` are those of the model
   * call. `compressed`: the summary, if the step asked for one.
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
  AgentError: { agent_id: Type.String(), error: Type.String(), code: Type.Integer() },
} satisfies Record<string, TProperties>
