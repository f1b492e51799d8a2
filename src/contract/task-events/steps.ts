// The events of an agent and its steps.
import Type, { type Static, type TProperties } from 'typebox'
import { entryKinds } from '../code-agent.ts'
import { OpenObject } from '../wire/schema.ts'
import { OddTool } from '../wire.ts'
import { OpenItem } from './items.ts'
import { Compressed, ModelRequest, ModelResponse } from './model-call.ts'
import { AgentStep, CallId, Deadline, optional, Usage } from './schema.ts'

/**
 * An entry of the journal of an agent's code. Its number is the number of entries before it plus 1. `call_id`: the call that
 * it makes; absent for text. `until`: when a sleep ends, or when the call times out (milliseconds since 1970). `ask`: what a
 * model is asked (`ModelAsk`).
 */
export const StoredEntry = Type.Object({
  do: Type.Enum([...entryKinds]),
  name: optional(Type.String()),
  digest: Type.String(),
  call_id: optional(CallId),
  until: Deadline,
  ask: optional(OpenObject),
})
export type StoredEntry = Static<typeof StoredEntry>
/** `chart`: the statechart itself, in the first state of a task and wherever it has changed. */
const StoredMachine = Type.Object({
  value: Type.Unknown(),
  context: Type.Unknown(),
  next_events: Type.Array(Type.String()),
  chart: optional(Type.Unknown()),
})
export type StoredMachine = Static<typeof StoredMachine>

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
   * call. `compressed`: the summary, if the step asked for one. `journal`: what the code of an agent has asked for in this
   * turn. `machine`: the state of its statechart after the turn.
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
    journal: optional(Type.Array(StoredEntry)),
    machine: optional(StoredMachine),
  },
  /**
   * The code of the agent waits for nothing but timers and messages. It goes on at `until` (milliseconds since 1970) at
   * the latest; absent: when a message comes.
   */
  AgentWaits: { agent_step: AgentStep, until: Deadline },
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
