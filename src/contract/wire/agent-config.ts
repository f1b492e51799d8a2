// The settings of a task's agent, and the agents that tasks may name.
import Type, { type Static } from 'typebox'
import { longestPattern, mostPatterns } from '../approvals.ts'
import { names, OpenObject, optional, orNull } from './schema.ts'
import { Script } from './script.ts'

const settings = {
  agent_id: orNull(Type.String()),
  name: orNull(Type.String()),
  description: orNull(Type.String()),
  developer_prompt: orNull(Type.String()),
  model: orNull(Type.String()),
  max_model_length: orNull(Type.Integer({ minimum: 1 })),
  max_response_length: orNull(Type.Integer({ minimum: 1 })),
  compress_model: orNull(Type.String()),
  compress_prompt: orNull(Type.String()),
  compress_threshold_token_ratio: orNull(Type.Number({ minimum: 0, maximum: 1 })),
  inference_args: orNull(OpenObject),
  allowed_tools: optional(names),
  builtin_tools: optional(names),
  builtin_subagents: optional(names),
  tool_mcp_config: orNull(OpenObject),
  // These fields have no effect here, so any value is accepted.
  code_interpreter_config: Type.Optional(Type.Unknown()),
  code_for_agent: Type.Optional(Type.Unknown()),
  code_for_interpreter: Type.Optional(Type.Unknown()),
  script: orNull(Script),
  /** Patterns of the tools whose calls wait for an approval. */
  approve: orNull(
    Type.Array(Type.String({ minLength: 1, maxLength: longestPattern }), { maxItems: mostPatterns }),
  ),
}

/** The agent that runs group chats. */
export const groupAgent = 'group'
/** The name of the user in a group chat, and the word of a moderator that ends the chat. No speaker may be named so. */
export const chatUser = 'user'
export const chatEnd = 'END'

/** A speaker of a group chat: an agent with its settings and a name of its own. */
export const SpeakerConfig = Type.Object(settings)
export type SpeakerConfig = Static<typeof SpeakerConfig>

export const GroupConfig = Type.Object({
  agents: Type.Array(SpeakerConfig, { maxItems: 32 }),
  order: orNull(Type.Enum(['round_robin', 'moderator', 'free'])),
  moderator: orNull(SpeakerConfig),
  max_rounds: orNull(Type.Integer({ minimum: 1, maximum: 1000 })),
  stop_words: orNull(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 100 })),
  on_failure: orNull(Type.Enum(['skip', 'fail'])),
})
export type GroupConfig = Static<typeof GroupConfig>

export const AgentConfig = Type.Object({ ...settings, group: orNull(GroupConfig) })
export type AgentConfig = Static<typeof AgentConfig>

/** Whether a call of an agent by MCP is a task: always, when it takes long, or never. */
export const TaskSupport = Type.Enum(['required', 'optional', 'none'])
export type TaskSupport = Static<typeof TaskSupport>

/** An agent that tasks may name. Times are in Unix seconds. */
export const AgentInfo = Type.Object({
  name: Type.String(),
  description: Type.String(),
  kind: Type.Enum(['builtin', 'function', 'machine']),
  source: Type.String(),
  /** The dialect in which the agent speaks to the endpoint of its model. */
  dialect: optional(Type.String()),
  parameters: optional(OpenObject),
  task_support: optional(TaskSupport),
  version: optional(Type.String()),
  workers: optional(Type.Integer({ minimum: 0 })),
  connected_at: optional(Type.Integer()),
  user_id: optional(Type.String()),
  error: optional(Type.String()),
})
export type AgentInfo = Static<typeof AgentInfo>

/** A worker that is connected. */
export const WorkerInfo = Type.Object({
  name: Type.String(),
  agents: Type.Array(Type.String()),
  versions: Type.Record(Type.String(), Type.String()),
  slots: Type.Integer({ minimum: 1 }),
  connected_at: Type.Integer(),
  user_id: optional(Type.String()),
})
export type WorkerInfo = Static<typeof WorkerInfo>
