// The words of the wire: every object of the interface, each typed once. Validation, static types and the
// published documents all come from these values. Objects are open: what we do not know passes untouched.
import Type, { type Static } from 'typebox'

export const taskStatuses = [
  'created',
  'queued',
  'working',
  'input-required',
  'paused',
  'completed',
  'canceled',
  'expired',
  'failed',
] as const
export type TaskStatus = (typeof taskStatuses)[number]

export const terminalStatuses: ReadonlySet<TaskStatus> = new Set([
  'completed',
  'canceled',
  'expired',
  'failed',
])
export const isTerminal = (status: TaskStatus | 'absent'): boolean =>
  terminalStatuses.has(status as TaskStatus)

const OpenObject = Type.Record(Type.String(), Type.Unknown())
const optional = Type.Optional

const TopLogprob = Type.Object({
  token: Type.String(),
  logprob: Type.Number(),
  bytes: optional(Type.Array(Type.Integer())),
})
export const Logprob = Type.Object({
  token: Type.String(),
  logprob: Type.Number(),
  bytes: optional(Type.Array(Type.Integer())),
  top_logprobs: optional(Type.Array(TopLogprob)),
})
export type Logprob = Static<typeof Logprob>

const Annotation = Type.Union([
  Type.Object({
    type: Type.Literal('file_citation'),
    file_id: Type.String(),
    index: Type.Integer(),
    filename: Type.String(),
  }),
  Type.Object({
    type: Type.Literal('url_citation'),
    url: Type.String(),
    title: optional(Type.String()),
    start_index: optional(Type.Integer()),
    end_index: optional(Type.Integer()),
  }),
  Type.Object({
    type: Type.Literal('container_file_citation'),
    container_id: Type.String(),
    file_id: Type.String(),
    filename: optional(Type.String()),
    start_index: optional(Type.Integer()),
    end_index: optional(Type.Integer()),
  }),
  Type.Object({ type: Type.Literal('file_path'), file_id: Type.String(), index: optional(Type.Integer()) }),
  // A kind that is not known passes untouched.
  Type.Object({
    type: Type.String({
      pattern: '^(?!(file_citation|url_citation|container_file_citation|file_path)$)',
    }),
  }),
])

export const TextContentItem = Type.Object({
  type: Type.Enum(['text', 'input_text', 'output_text', 'reasoning_text', 'summary_text', 'refusal']),
  text: Type.String(),
  id: optional(Type.Integer()),
  tags: optional(Type.Array(Type.String())),
  annotations: optional(Type.Array(Annotation)),
  logprobs: optional(Type.Array(Logprob)),
})
export type TextContentItem = Static<typeof TextContentItem>

const fileText = Type.String()
const ContentItem = Type.Union([
  TextContentItem,
  Type.Object({
    type: Type.Enum(['image', 'input_image', 'output_image', 'image_url']),
    image_url: Type.Object({ url: Type.String(), detail: optional(Type.String()) }),
  }),
  Type.Object({
    type: Type.Enum(['input_audio', 'output_audio', 'audio']),
    input_audio: Type.Object({ data: Type.String(), format: Type.String() }),
  }),
  Type.Object({
    type: Type.Literal('file'),
    file: Type.Union([
      Type.Object({ file_url: fileText, filename: fileText, file_data: optional(fileText) }),
      Type.Object({ file_data: fileText, filename: fileText, file_url: optional(fileText) }),
    ]),
  }),
])
export const MessageContent = Type.Union([
  Type.String(),
  Type.Array(Type.Union([Type.String(), ContentItem])),
])
export type MessageContent = Static<typeof MessageContent>
export type ContentPart = string | Static<typeof ContentItem>

const itemStatus = Type.Enum(['in_progress', 'completed', 'incomplete'])
export type ItemStatus = Static<typeof itemStatus>

export const Block = Type.Interface([OpenObject], { type: Type.String() })
export type Block = { type: string } & Record<string, unknown>

/** Ids that travel in paths, subjects and headers: 1–256 printable ASCII characters. */
export const AsciiId = Type.String({ minLength: 1, maxLength: 256, pattern: '^[\\x21-\\x7e]+$' })
/** Other client-given ids: 1–256 characters of well-formed Unicode without control characters. */
export const TextId = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^(?:[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]|[\\ud800-\\udbff][\\udc00-\\udfff])*$',
})

export const ReasoningItem = Type.Object({
  type: Type.Literal('reasoning'),
  id: TextId,
  summary: Type.Array(TextContentItem),
  content: optional(Type.Array(TextContentItem)),
  status: optional(itemStatus),
})
export const MessageItem = Type.Object({
  type: Type.Literal('message'),
  id: optional(TextId),
  status: optional(itemStatus),
  role: Type.Enum(['user', 'assistant', 'system', 'developer']),
  name: optional(Type.String()),
  message_content: MessageContent,
  block_list: optional(Type.Array(Block)),
})
export const ToolCallItem = Type.Object({
  type: Type.Literal('tool_call'),
  id: optional(TextId),
  status: optional(itemStatus),
  call_id: AsciiId,
  name: Type.String(),
  arguments: Type.String(),
  language: optional(Type.Enum(['json', 'yaml', 'python', 'javascript'])),
})
export const ToolResultItem = Type.Object({
  type: Type.Literal('tool_result'),
  id: optional(TextId),
  status: optional(itemStatus),
  call_id: AsciiId,
  message_content: MessageContent,
  block_list: Type.Array(Block),
})
export const OutputItem = Type.Union([ReasoningItem, MessageItem, ToolCallItem, ToolResultItem])
export type ReasoningItem = Static<typeof ReasoningItem>
export type MessageItem = Static<typeof MessageItem>
export type ToolCallItem = Static<typeof ToolCallItem>
export type ToolResultItem = Static<typeof ToolResultItem>
export type OutputItem = Static<typeof OutputItem>

export const ToolDefinition = Type.Object({
  type: Type.Literal('function'),
  function: Type.Object({
    name: Type.String({ minLength: 1, maxLength: 128 }),
    parameters: OpenObject,
    description: optional(Type.String()),
    strict: optional(Type.Boolean()),
  }),
})
export type ToolDefinition = Static<typeof ToolDefinition>

export const ErrorObject = Type.Object({
  code: Type.Integer(),
  message: Type.String(),
  data: optional(Type.Unknown()),
})
export type ErrorObject = Static<typeof ErrorObject>

const Usage = Type.Interface([OpenObject], {
  input_tokens: optional(Type.Integer({ minimum: 0 })),
  output_tokens: optional(Type.Integer({ minimum: 0 })),
  total_tokens: optional(Type.Integer({ minimum: 0 })),
})
export type Usage = Record<string, unknown>

export const Task = Type.Object({
  object: Type.Literal('task'),
  id: Type.String(),
  session_id: Type.String(),
  user_id: Type.String(),
  status: Type.Enum([...taskStatuses]),
  created_at: Type.Integer(),
  output: Type.Array(OutputItem),
  usage: optional(Usage),
  error: optional(ErrorObject),
  input_required: optional(ToolCallItem),
  metadata: optional(OpenObject),
  previous_task_id: optional(Type.String()),
  rollouts: optional(Type.Array(OpenObject)),
})
export type Task = {
  object: 'task'
  id: string
  session_id: string
  user_id: string
  status: TaskStatus
  created_at: number
  usage?: Usage
  error?: ErrorObject
  input_required?: ToolCallItem
  metadata?: Record<string, unknown>
  previous_task_id?: string
  rollouts?: Record<string, unknown>[]
  output: OutputItem[]
}

const ScriptCall = Type.Object({
  tool: Type.String({ minLength: 1, maxLength: 128 }),
  arguments: optional(OpenObject),
})
/** One entry of `agent_config.script`: an object that names exactly one action. */
export const ScriptStep = Type.Object({
  reasoning: optional(Type.String()),
  message: optional(Type.String()),
  delta_ms: optional(Type.Integer({ minimum: 0, maximum: 60_000 })),
  tool: optional(Type.String({ minLength: 1, maxLength: 128 })),
  arguments: optional(OpenObject),
  tools: optional(Type.Array(ScriptCall, { maxItems: 64 })),
  subagent: optional(Type.String({ minLength: 1, maxLength: 120 })),
  input: optional(Type.String()),
  sleep_ms: optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
  pause: optional(Type.String()),
  fail: optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
  usage: optional(Usage),
})
export type ScriptStep = Static<typeof ScriptStep>
export const Script = Type.Array(ScriptStep, { maxItems: 10_000 })
export const scriptActions = [
  'reasoning',
  'message',
  'tool',
  'tools',
  'subagent',
  'sleep_ms',
  'pause',
  'fail',
  'usage',
] as const

const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const names = nullable(Type.Array(Type.String()))
const orNull = <T extends Type.TSchema>(schema: T) => optional(nullable(schema))

export const AgentConfig = Type.Object({
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
  // Without effect here, so that no value of them refuses a task.
  code_interpreter_config: Type.Optional(Type.Unknown()),
  code_for_agent: Type.Optional(Type.Unknown()),
  code_for_interpreter: Type.Optional(Type.Unknown()),
  script: orNull(Script),
})
export type AgentConfig = Static<typeof AgentConfig>

export const CreateTaskBody = Type.Object({
  user_message_content: MessageContent,
  stream: Type.Boolean(),
  structured_output: orNull(OpenObject),
  client_id: orNull(TextId),
  request_id: orNull(TextId),
  session_id: orNull(AsciiId),
  task_id: orNull(AsciiId),
  user_id: orNull(TextId),
  agent_config: orNull(AgentConfig),
  allowed_tools: optional(names),
  disallowed_tools: optional(names),
  allowed_subagents: optional(names),
  stop_tools: optional(names),
  client_tools: orNull(Type.Array(ToolDefinition)),
  history_messages: orNull(Type.Array(OutputItem)),
  thought_messages: orNull(Type.Array(OutputItem)),
  inference_args: orNull(OpenObject),
  workspace_dir: orNull(Type.String({ minLength: 1, maxLength: 4096 })),
  env: orNull(OpenObject),
  log_dir: orNull(Type.String({ minLength: 1, maxLength: 4096 })),
  rollout_save_dir: orNull(Type.String({ minLength: 1, maxLength: 4096 })),
  return_rollout: orNull(Type.Boolean()),
  include_compress_model_rollout: orNull(Type.Boolean()),
  include_subagent_rollout: orNull(Type.Boolean()),
  background: orNull(Type.Boolean()),
  on_disconnect: orNull(Type.Enum(['continue', 'cancel'])),
  metadata: orNull(OpenObject),
})
export type CreateTaskBody = Static<typeof CreateTaskBody>

export const AnswerCallsBody = Type.Object({
  tool_results: Type.Array(
    Type.Object({
      call_id: AsciiId,
      message_content: MessageContent,
      block_list: orNull(Type.Array(Block)),
      /** `incomplete`: the call failed. */
      status: orNull(Type.Enum(['completed', 'incomplete'])),
    }),
  ),
})
export type AnswerCallsBody = Static<typeof AnswerCallsBody>
export const PostMessageBody = Type.Object({ content: MessageContent })
export type PostMessageBody = Static<typeof PostMessageBody>
export const RewardBody = Type.Object({
  value: Type.Number(),
  name: orNull(TextId),
  data: optional(Type.Unknown()),
})
export type RewardBody = Static<typeof RewardBody>

/** Keys of `metadata` that only the service writes; a create that names one is refused. */
export const reservedMetadata: ReadonlySet<string> = new Set([
  'agent',
  'expires_at',
  'reason',
  'pending_inputs',
  'ignored_fields',
  'parent_task_id',
  'subagent_usage',
  'continued_by',
  'effect',
  'incomplete_details',
])

const Seed = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

export const CreateEnvBody = Type.Object({
  session_id: orNull(AsciiId),
  env_id: orNull(TextId),
  user_id: orNull(TextId),
  client_id: orNull(TextId),
  env_vars: orNull(OpenObject),
  env_class_path: orNull(Type.String({ minLength: 1, maxLength: 4096 })),
  env_init_kwargs: orNull(OpenObject),
})
export type CreateEnvBody = Static<typeof CreateEnvBody>
export const StepEnvBody = Type.Object({
  session_id: AsciiId,
  tool_name: Type.String({ minLength: 1, maxLength: 128 }),
  tool_args: orNull(OpenObject),
  env_vars: orNull(OpenObject),
  stream: orNull(Type.Boolean()),
  request_id: orNull(TextId),
  task_id: orNull(AsciiId),
  user_id: orNull(TextId),
  expected_step: orNull(Type.Integer({ minimum: 1 })),
})
export type StepEnvBody = Static<typeof StepEnvBody>
export const ResetEnvBody = Type.Object({
  session_id: AsciiId,
  seed: orNull(Seed),
  options: orNull(OpenObject),
})
export type ResetEnvBody = Static<typeof ResetEnvBody>
/** Of observation and close. */
export const SessionBody = Type.Object({ session_id: AsciiId })
export type SessionBody = Static<typeof SessionBody>

/** An agent that tasks may name. */
export const AgentInfo = Type.Object({
  name: Type.String(),
  description: Type.String(),
  kind: Type.String(),
  source: Type.String(),
})
export type AgentInfo = Static<typeof AgentInfo>

/** A kind of environment; `limits` says how much it takes and keeps, `error` why one is not importable. */
export const EnvironmentInfo = Type.Object({
  name: Type.String(),
  source: Type.String(),
  module: Type.String(),
  importable: Type.Enum(['true', 'false']),
  default_params_summary: Type.String(),
  origin: Type.Enum(['builtin', 'external', 'local']),
  description: Type.String(),
  limits: optional(Type.String()),
  error: optional(Type.String()),
})
export type EnvironmentInfo = Static<typeof EnvironmentInfo>
/**
 * The session record. Times are whole Unix seconds; `close_reason` stands on one that has been closed, `kind` on every
 * one that this build or a later one created.
 */
export const EnvSession = Type.Object({
  session_id: Type.String(),
  user_id: Type.String(),
  client_id: Type.String(),
  env_id: Type.String(),
  env_vars: OpenObject,
  is_active: Type.Boolean(),
  created_at: Type.Integer(),
  last_accessed_at: Type.Integer(),
  kind: optional(Type.String()),
  close_reason: optional(Type.String()),
})
export type EnvSession = Static<typeof EnvSession>
export const EnvStepAnswer = Type.Object({
  session_id: Type.String(),
  env_id: Type.String(),
  step: Type.Integer({ minimum: 1 }),
  tool_result: ToolResultItem,
  observation: OpenObject,
  state: OpenObject,
  reward: Type.Number(),
  terminated: Type.Boolean(),
  truncated: Type.Boolean(),
  done: Type.Boolean(),
  info: OpenObject,
  tools: Type.Array(ToolDefinition),
})
export type EnvStepAnswer = Static<typeof EnvStepAnswer>

export const CreateTokenBody = Type.Object({
  role: Type.Enum(['admin', 'user', 'auditor', 'subscriber']),
  user_id: orNull(TextId),
  ttl: orNull(Type.Integer({ minimum: 1, maximum: 315_360_000 })),
})
export type CreateTokenBody = Static<typeof CreateTokenBody>

/** What a ticket is for: `socket`, a connection to /ws that commands, too; else streams alone. */
export const StreamTicketBody = Type.Object({ for: orNull(Type.Enum(['socket'])) })
export type StreamTicketBody = Static<typeof StreamTicketBody>
