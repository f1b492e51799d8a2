// The objects of requests and answers. Written by `npm run documents`, from the schemas of the server.

/** A task as it is now. `output` grows while the task works. */
export type Task = {
  /** Always `task`. */
  object: 'task'
  /** The id of the task. */
  id: string
  /** The chat session of the task. Tasks of one session share their context, and only one of them works at a time. */
  session_id: string
  /** The user who owns the task. */
  user_id: string
  /** The status of the task. */
  status: TaskStatus
  /** When the task was created, in Unix seconds. */
  created_at: number
  /** What the agent said and did: items, in the order in which they began. */
  output: OutputItem[]
  /** Tokens that the model calls of this task used, without those of its subagents. */
  usage?: Usage
  /** Why the task failed. */
  error?: ErrorObject
  /** The oldest tool call that waits for the client. */
  input_required?: PendingCallItem
  /** The metadata of the create, and keys that only the service writes: `agent`, `expires_at`, `reason`, `effect`, `pending_inputs`, `pending_task`, `continued_by`, `ended_by`, `parent_task_id`, `group_chat_id`, `subagent_usage`, `odd_tools`, `ignored_fields`, `incomplete_details`, `finish_reason`. */
  metadata?: Record<string, unknown>
  /** The task before this one in the session. */
  previous_task_id?: string
  /** The entries that `/rollouts` returns. Present only if the create had `return_rollout` and the task has ended; lists of tasks leave this field out. */
  rollouts?: Record<string, unknown>[]
}

/** A task without its output, as lists give it with `fields=summary`. */
export type TaskSummary = {
  /** Always `task`. */
  object: 'task'
  /** The id of the task. */
  id: string
  /** The chat session of the task. Tasks of one session share their context, and only one of them works at a time. */
  session_id: string
  /** The user who owns the task. */
  user_id: string
  /** The status of the task. */
  status: TaskStatus
  /** When the task was created, in Unix seconds. */
  created_at: number
  /** Tokens that the model calls of this task used, without those of its subagents. */
  usage?: Usage
  /** Why the task failed. */
  error?: ErrorObject
  /** The oldest tool call that waits for the client. */
  input_required?: PendingCallItem
  /** The metadata of the create, and keys that only the service writes: `agent`, `expires_at`, `reason`, `effect`, `pending_inputs`, `pending_task`, `continued_by`, `ended_by`, `parent_task_id`, `group_chat_id`, `subagent_usage`, `odd_tools`, `ignored_fields`, `incomplete_details`, `finish_reason`. */
  metadata?: Record<string, unknown>
  /** The task before this one in the session. */
  previous_task_id?: string
  /** The entries that `/rollouts` returns. Present only if the create had `return_rollout` and the task has ended; lists of tasks leave this field out. */
  rollouts?: Record<string, unknown>[]
  /** The first 200 characters of the user’s message. */
  question: string
  /** When the agent of the task began, in Unix seconds. Absent until then. */
  started_at?: number
  /** When the task ended, in Unix seconds. Absent until then. */
  ended_at?: number
  /** Milliseconds from the beginning of the agent to the end of the task. */
  duration_ms?: number
}

/** The number of tasks that match the filters of a list. */
export type TaskCounts = {
  /** The number of all these tasks. */
  total: number
  /** The number of tasks in each status. A status without tasks is left out. */
  by_status: Record<string, number>
  /** For each agent, the number of its tasks in each status. */
  by_agent: Record<string, Record<string, number>>
}

/** An agent that tasks may name. */
export type AgentInfo = {
  /** The name of the agent, for `agent_config.agent_id` or `client_id` of a create. */
  name: string
  /** One sentence that says what the agent does. */
  description: string
  /** `builtin`: the agent comes with the server. `function`, `machine`: it is code of a user. */
  kind: 'builtin' | 'function' | 'machine'
  /** The name of the file that defines the agent; `reprise` if the agent comes with the server, and `worker` if workers run it. */
  source: string
  /** The dialect in which the agent speaks to the endpoint of its model, if it has one. */
  dialect?: string
  /** A JSON Schema of what the agent reads from `agent_config`. */
  parameters?: Record<string, unknown>
  /** Whether a call by MCP becomes a task: always (`required`), never (`none`), or when it takes long (`optional`, as without it). */
  task_support?: 'required' | 'optional' | 'none'
  /** The version on which new tasks begin. */
  version?: string
  /** The number of workers with this agent that are connected now. */
  workers?: number
  /** When a worker with this agent connected last, in Unix seconds. */
  connected_at?: number
  /** The user whose tasks the workers serve. Absent: those of all users. */
  user_id?: string
  /** Why the file cannot be run as it is now. If an earlier version of it runs, that one goes on; otherwise a create that names the agent is refused. */
  error?: string
}

/** `completed`, `canceled`, `expired` and `failed` are final. A task in `input-required` waits for results of client tools. A task in `paused` waits until a client resumes it. */
export type TaskStatus = 'created' | 'queued' | 'working' | 'input-required' | 'paused' | 'completed' | 'canceled' | 'expired' | 'failed'

/** A message, a reasoning, a tool call or a tool result. */
export type OutputItem = ReasoningItem | MessageItem | ToolCallItem | ToolResultItem

/** A reasoning of the agent. */
export type ReasoningItem = {
  /** The kind of item. */
  type: 'reasoning'
  /** The id of the item; if it is absent, the service makes one. */
  id: string
  /** A summary of the thoughts. */
  summary: TextContentItem[]
  /** The thoughts themselves. */
  content?: TextContentItem[]
  /** `in_progress` while the item grows; `incomplete` if the item was cut off, or if a call was refused or failed. */
  status?: 'in_progress' | 'completed' | 'incomplete'
}

/** A message. */
export type MessageItem = {
  /** The kind of item. */
  type: 'message'
  /** The id of the item; if it is absent, the service makes one. */
  id?: string
  /** `in_progress` while the item grows; `incomplete` if the item was cut off, or if a call was refused or failed. */
  status?: 'in_progress' | 'completed' | 'incomplete'
  /** The role of the speaker. */
  role: 'user' | 'assistant' | 'system' | 'developer'
  /** The name of the role. */
  name?: string
  /** The content of the message. */
  message_content: MessageContent
  /** Blocks to render, such as charts and tables. */
  block_list?: Block[]
}

/** A call of a tool. */
export type ToolCallItem = {
  /** The kind of item. */
  type: 'tool_call'
  /** The id of the item; if it is absent, the service makes one. */
  id?: string
  /** `in_progress` while the item grows; `incomplete` if the item was cut off, or if a call was refused or failed. */
  status?: 'in_progress' | 'completed' | 'incomplete'
  /** The id of the call. The result has the same `call_id`. */
  call_id: string
  /** The name of the tool. */
  name: string
  /** The arguments as JSON text. */
  arguments: string
  /** The language in which the arguments are written. */
  language?: 'json' | 'yaml' | 'python' | 'javascript'
}

/** A call that waits for the client, or for an approval. */
export type PendingCallItem = {
  /** The kind of item. */
  type: 'tool_call'
  /** The id of the item; if it is absent, the service makes one. */
  id?: string
  /** `in_progress` while the item grows; `incomplete` if the item was cut off, or if a call was refused or failed. */
  status?: 'in_progress' | 'completed' | 'incomplete'
  /** The id of the call. The answer names it. */
  call_id: string
  /** The name of the tool. */
  name: string
  /** The arguments as JSON text. */
  arguments: string
  /** The language in which the arguments are written. */
  language?: 'json' | 'yaml' | 'python' | 'javascript'
  /** `{"approval": true}`: the call waits for an approval (`POST /v1/tasks/{task_id}/approvals`). Otherwise it waits for its result, and `schema` is the JSON Schema that the agent gave for it, if any. */
  metadata?: {
    approval?: true
    schema?: Record<string, unknown>
    asked_by?: string
    url?: string
  }
}

/** The result of a call. */
export type ToolResultItem = {
  /** The kind of item. */
  type: 'tool_result'
  /** The id of the item; if it is absent, the service makes one. */
  id?: string
  /** `in_progress` while the item grows; `incomplete` if the item was cut off, or if a call was refused or failed. */
  status?: 'in_progress' | 'completed' | 'incomplete'
  /** The `call_id` of the tool call to which this result belongs. */
  call_id: string
  /** The result as the agent sees it. */
  message_content: MessageContent
  /** Blocks to render. */
  block_list: Block[]
}

/** A text, or a list of texts and content items. */
export type MessageContent = string | (string | ContentItem)[]

/** A part of a message: text, image, audio or file. */
export type ContentItem = TextContentItem | {
  type: 'image' | 'input_image' | 'output_image' | 'image_url'
  image_url: {
    url: string
    detail?: string
  }
} | {
  type: 'input_audio' | 'output_audio' | 'audio'
  input_audio: {
    data: string
    format: string
  }
} | {
  type: 'file'
  file: {
    file_url: string
    filename: string
    file_data?: string
  } | {
    file_data: string
    filename: string
    file_url?: string
  }
}

/** A part that is text. */
export type TextContentItem = {
  /** The kind of text. */
  type: 'text' | 'input_text' | 'output_text' | 'reasoning_text' | 'summary_text' | 'refusal'
  /** The text. */
  text: string
  /** An id by which other fields can refer to this part. */
  id?: number
  /** Labels that say where the text comes from or what it is for. */
  tags?: string[]
  /** Citations, links and file paths. */
  annotations?: Annotation[]
  /** Probabilities of the tokens of the text, if the model’s endpoint gave them. */
  logprobs?: Logprob[]
}

/** A source of a text. */
export type Annotation = {
  type: 'file_citation'
  file_id: string
  index: number
  filename: string
} | {
  type: 'url_citation'
  url: string
  title?: string
  start_index?: number
  end_index?: number
} | {
  type: 'container_file_citation'
  container_id: string
  file_id: string
  filename?: string
  start_index?: number
  end_index?: number
} | {
  type: 'file_path'
  file_id: string
  index?: number
} | {
  type: string
}

/** How probable a token was. */
export type Logprob = {
  /** The token. */
  token: string
  /** The natural logarithm of the token’s probability. */
  logprob: number
  /** The UTF-8 bytes of the token. */
  bytes?: number[]
  /** The most probable tokens at this place. */
  top_logprobs?: {
    token: string
    logprob: number
    bytes?: number[]
  }[]
}

/** A block for a client to render. The server passes on unknown kinds unchanged. */
export type Block = {
  /** The kind of block. */
  type: string
  [key: string]: unknown
}

/** The tokens that model calls used. An endpoint may report more fields. */
export type Usage = {
  /** The number of tokens that the model read. */
  input_tokens?: number
  /** The number of tokens that the model wrote. */
  output_tokens?: number
  /** The sum of both numbers. */
  total_tokens?: number
  [key: string]: unknown
}

/** A tool that can be called. */
export type ToolDefinition = {
  /** Always `function`. */
  type: 'function'
  /** The name of the tool, its purpose, and a JSON Schema of its arguments. */
  function: {
    name: string
    parameters: Record<string, unknown>
    description?: string
    strict?: boolean
  }
}

/** A JSON-RPC error. The error of a failed task has one of the codes `-32000` (AgentFailed), `-32008` (ToolsAway), `-32040` (AgentChanged), `-32041` (HostFailed), `-32602` (AnswerUnfit), which docs/errors.md explains, or one that a script has chosen. For the errors of requests, each operation names its codes. */
export type ErrorObject = {
  /** The code of the error. */
  code: number
  /** The error as a text. */
  message: string
  /** More about the error. */
  data?: unknown
}

/** A request for a new task. A null in an optional field counts as absent, at any depth. Unknown keys are ignored, and `metadata.ignored_fields` names their paths. */
export type CreateTaskBody = {
  /** The message of the user. It may be empty if `history_messages` answers waiting calls. */
  user_message_content: MessageContent
  /** true: the answer is a stream of frames. false: one JSON answer. */
  stream: boolean
  /** A JSON Schema (2020-12) of the answer. The last message must be JSON that fits the schema. With `stream: true` the field is ignored. */
  structured_output?: Record<string, unknown> | null
  /** The caller. If this is the name of an agent, that agent runs; otherwise the default agent runs. */
  client_id?: string | null
  /** An id for the chain of requests, which the envelope contains. A retry must repeat it, like the rest of the body. */
  request_id?: string | null
  /** The chat session to continue. If it is absent, a new session begins. */
  session_id?: string | null
  /** The id of the task. If it is absent, the server makes one. A second request with the same id and the same body returns the first task. A request with the id of a waiting task answers that task. */
  task_id?: string | null
  /** The end user. A request whose token belongs to a user must name that user or none. */
  user_id?: string | null
  /** The agent and its settings. */
  agent_config?: AgentConfig | null
  /** The tools of the server that the agent may call. Null allows all, an empty list none. Subagents and `client_tools` need not be named here. */
  allowed_tools?: string[] | null
  /** The tools that the agent may not call: tools of the server, tools of the client, and subagents as `agent_<name>`. */
  disallowed_tools?: string[] | null
  /** The subagents that the agent may call. Null allows all, an empty list none. `allowed_tools` does not affect subagents. */
  allowed_subagents?: string[] | null
  /** The task completes after the agent has called one of these tools. */
  stop_tools?: string[] | null
  /** Tools that the client runs. When the agent calls one, the task waits for the client’s result. */
  client_tools?: ToolDefinition[] | null
  /** The earlier messages of the conversation, which replace those of the session. Results (`tool_result`) for calls of a waiting task of the session answer that task. A list of only such results does not replace the messages of the session. */
  history_messages?: OutputItem[] | null
  /** Thoughts of the assistant that the agent sees and the user does not. */
  thought_messages?: OutputItem[] | null
  /** Arguments that the server passes on to the model’s endpoint. */
  inference_args?: Record<string, unknown> | null
  /** The folder in which file tools work, inside the own folder of the task’s user. */
  workspace_dir?: string | null
  /** Variables for everything that runs for the task: steps and shell commands of its environment session, `run_javascript` (as `env`), subagents, and MCP servers that list the variables in `env_from`. Their values are secrets, and the server shows them to nobody. */
  env?: Record<string, unknown> | null
  /** A folder for the task’s log, inside the own folder of the task’s user. When the task has ended, the server writes the file `<task id>.jsonl` there: a line of JSON for each frame, with its time. */
  log_dir?: string | null
  /** A folder for the task’s rollouts, inside the own folder of the task’s user. When the task has ended, the server writes the rollouts to a file there. */
  rollout_save_dir?: string | null
  /** The task contains its rollouts once it has ended. */
  return_rollout?: boolean | null
  /** The rollouts contain the steps that made summaries of the context. */
  include_compress_model_rollout?: boolean | null
  /** The rollouts contain the steps of subagents. */
  include_subagent_rollout?: boolean | null
  /** With `stream: false`: the server answers at once, and the task continues. */
  background?: boolean | null
  /** `cancel`: if the caller disconnects before the answer is complete, the server cancels the task. */
  on_disconnect?: 'continue' | 'cancel' | null
  /** Keys of the caller, which the server stores and returns. Keys that only the service writes are refused. */
  metadata?: Record<string, unknown> | null
  /** A URL to which the server sends the events of this task. */
  webhook?: TaskWebhook | null
}

/** The agent that runs, and its settings. */
export type AgentConfig = {
  /** One of the agents that `GET /v1/agents` lists. Another name is refused, unless `developer_prompt` or `model` is given too: then the name is only a label, and the default agent runs. */
  agent_id?: string | null
  /** A name for the agent. */
  name?: string | null
  /** What the agent is for. */
  description?: string | null
  /** Instructions for the model. */
  developer_prompt?: string | null
  /** The model at the endpoint, in place of the configured model. */
  model?: string | null
  /** The context window in tokens. When the context comes near this limit, a summary replaces its older part. */
  max_model_length?: number | null
  /** The length of the longest answer, in tokens. */
  max_response_length?: number | null
  /** The model that writes the summary. */
  compress_model?: string | null
  /** The instructions for the summary. */
  compress_prompt?: string | null
  /** The part of the window that must be full before a summary is made. */
  compress_threshold_token_ratio?: number | null
  /** Arguments that the server passes on to the endpoint. Those of the request take precedence. */
  inference_args?: Record<string, unknown> | null
  /** The tools of the server that the agent may call. Null allows all, an empty list none. */
  allowed_tools?: string[] | null
  /** The built-in tools that the agent is offered. Null offers all. */
  builtin_tools?: string[] | null
  /** The subagents that the agent may call and is offered. Absent or null: it may call every agent, and is offered only `model`. */
  builtin_subagents?: string[] | null
  /** The MCP servers of the task: `{"mcpServers": {name: {}}}` for a server of the operator, or `{url, headers}` in place of `{}` for a public server. The values of headers are secrets. */
  tool_mcp_config?: Record<string, unknown> | null
  /** Accepted without effect, and named in `metadata.ignored_fields`. */
  code_interpreter_config?: unknown
  /** Accepted without effect, and named in `metadata.ignored_fields`. */
  code_for_agent?: unknown
  /** Accepted without effect, and named in `metadata.ignored_fields`. */
  code_for_interpreter?: unknown
  /** The steps that the agent `script` plays, one entry for each step. */
  script?: ScriptStep[] | null
  /** Patterns of tools whose calls wait until somebody approves them: names of tools with `*` for any characters, `mcp:<server>`, `agent:<agent>`, `env:<tool>`, or `*` for every tool of the server. Subagents take over the patterns. */
  approve?: string[] | null
  /** The group chat that the agent `group` runs. */
  group?: GroupConfig | null
}

/** A speaker of a group chat: an agent with its settings, and a name of its own. Its fields are those of AgentConfig, without `group` and `tool_mcp_config`. */
export type SpeakerConfig = {
  /** One of the agents that `GET /v1/agents` lists. Another name is refused, unless `developer_prompt` or `model` is given too: then the name is only a label, and the default agent runs. */
  agent_id?: string | null
  /** The name of the speaker. Names of a chat are unique. */
  name?: string | null
  /** What the agent is for. */
  description?: string | null
  /** Instructions for the model. */
  developer_prompt?: string | null
  /** The model at the endpoint, in place of the configured model. */
  model?: string | null
  /** The context window in tokens. When the context comes near this limit, a summary replaces its older part. */
  max_model_length?: number | null
  /** The length of the longest answer, in tokens. */
  max_response_length?: number | null
  /** The model that writes the summary. */
  compress_model?: string | null
  /** The instructions for the summary. */
  compress_prompt?: string | null
  /** The part of the window that must be full before a summary is made. */
  compress_threshold_token_ratio?: number | null
  /** Arguments that the server passes on to the endpoint. Those of the request take precedence. */
  inference_args?: Record<string, unknown> | null
  /** The tools of the server that the agent may call. Null allows all, an empty list none. */
  allowed_tools?: string[] | null
  /** The built-in tools that the agent is offered. Null offers all. */
  builtin_tools?: string[] | null
  /** The subagents that the agent may call and is offered. Absent or null: it may call every agent, and is offered only `model`. */
  builtin_subagents?: string[] | null
  /** Refused here: the speakers use the servers of the chat’s own `agent_config`. */
  tool_mcp_config?: Record<string, unknown> | null
  /** Accepted without effect, and named in `metadata.ignored_fields`. */
  code_interpreter_config?: unknown
  /** Accepted without effect, and named in `metadata.ignored_fields`. */
  code_for_agent?: unknown
  /** Accepted without effect, and named in `metadata.ignored_fields`. */
  code_for_interpreter?: unknown
  /** The steps that the agent `script` plays. A turn plays them up to and including the next message; after the last message they begin again. */
  script?: ScriptStep[] | null
  /** Patterns of tools whose calls wait until somebody approves them: names of tools with `*` for any characters, `mcp:<server>`, `agent:<agent>`, `env:<tool>`, or `*` for every tool of the server. Subagents take over the patterns. */
  approve?: string[] | null
}

/** A group chat: who speaks, in which order, and when it ends. */
export type GroupConfig = {
  /** The speakers. Each `name` has 1 to 64 letters, digits, `_` or `-`, and no two names are equal. The names `user` and `END` are taken. */
  agents: SpeakerConfig[]
  /** `round_robin`, the default: one after the other. `moderator`: the moderator chooses each speaker, or ends the chat. `free`: one after the other, and each may pass; the chat ends after a round in which nobody spoke. */
  order?: 'round_robin' | 'moderator' | 'free' | null
  /** The moderator, only with `order: moderator`. Its text is the name of the next speaker, or `END`. A moderator without a `name` is called `moderator`. */
  moderator?: SpeakerConfig | null
  /** The largest number of rounds, 10 if absent. A round is one turn of each speaker. With a moderator, it is the moderator’s choice and the turn of the chosen speaker. */
  max_rounds?: number | null
  /** The chat ends after a speaker’s message that contains one of these texts. */
  stop_words?: string[] | null
  /** What happens when a turn fails. `skip` (if absent): the next turn follows. `fail`: the chat fails too. */
  on_failure?: 'skip' | 'fail' | null
}

/** One step of a script, which names exactly one action. The server replaces `$result` in a text with the result of the last tool. In a script for a subagent, the server escapes that result, so that the script stays JSON. */
export type ScriptStep = {
  /** The step thinks this text. */
  reasoning?: string
  /** The step says this text. */
  message?: string
  /** Milliseconds between the words of a message. */
  delta_ms?: number
  /** The step calls this tool. */
  tool?: string
  /** The arguments of the call. */
  arguments?: Record<string, unknown>
  /** The step calls these tools, all at once. */
  tools?: {
    tool: string
    arguments?: Record<string, unknown>
  }[]
  /** The step gives `input` to this agent, as a task of its own. */
  subagent?: string
  /** The message for the subagent. */
  input?: string
  /** The step waits for this number of milliseconds. */
  sleep_ms?: number
  /** The step pauses the task for this reason. */
  pause?: string
  /** The step fails with this error. */
  fail?: {
    code: number
    message: string
  }
  /** The step reports this usage. */
  usage?: Usage
}

/** Results of calls that wait for the client. */
export type AnswerCallsBody = {
  /** At least one result. `status: incomplete` says that the call failed. The first answer to a call counts. */
  tool_results: {
    call_id: string
    message_content: MessageContent
    block_list?: Block[] | null
    status?: 'completed' | 'incomplete' | null
  }[]
}

/** A decision about a call that waits for an approval. The first decision counts. */
export type DecideApprovalBody = {
  /** The id of the call. */
  call_id: string
  /** `approve`: the call runs. `refuse`: it does not run, and its result tells the agent so. */
  decision: 'approve' | 'refuse'
  /** Only with `approve`: the call runs with these arguments. They must fit the tool. The item of the call shows them from then on. */
  arguments?: Record<string, unknown> | null
  /** Why. The agent reads the reason of a refusal. */
  reason?: string | null
}

/** Where a fork begins, and what is different in it. */
export type ForkTaskBody = {
  /** The number of a frame of the task. The past of the fork ends with the append that gave this frame. */
  at: number
  /** Settings of the agent. Each one replaces that of the task. */
  agent_config?: AgentConfig | null
  /** A further message of the user, which the next step of the fork sees. */
  user_message_content?: MessageContent | null
  /** `false`: the fork is paused. Without it, the fork continues at once. */
  run?: boolean | null
  /** The id of the fork. Without it, the server makes one. */
  task_id?: string | null
  /** Short for `agent_config.agent_id`. */
  agent?: string | null
  /** Short for `agent_config.model`. */
  model?: string | null
  /** Short for `user_message_content`. */
  message?: MessageContent | null
  /** `true` is short for `run: false`. */
  pause?: boolean | null
}

/** A message to the agent while it works: exactly one of the two fields. */
export type PostMessageBody = {
  /** The message. It must not be empty. */
  content?: MessageContent
  /** An event for the statechart of the agent. Only an agent that is code of a user takes events. */
  event?: MachineEvent
}

/** An event for the statechart of an agent. All its fields reach the chart. */
export type MachineEvent = {
  /** The type of the event. It must not begin with `xstate.`. */
  type: string
  [key: string]: unknown
}

/** A reward for a task. */
export type RewardBody = {
  /** The reward. */
  value: number
  /** The name of the reward. */
  name?: string | null
  /** More about the reward, in any form. */
  data?: unknown
}

/** A request for a new instance. A null field counts as absent, and unknown fields are ignored. */
export type CreateEnvBody = {
  /** The id of the session; if it is absent, the server makes one. */
  session_id?: string | null
  /** The name of an environment. An unknown name is refused (404). If `env_class_path` is given, `env_id` is only a label. If `env_id` is absent, the server makes one. */
  env_id?: string | null
  /** The user who will own the session. A request whose token belongs to a user must name that user or none. */
  user_id?: string | null
  /** The client that sends the request. */
  client_id?: string | null
  /** Variables for the environment and its commands. Their values are secrets, and the server shows them to nobody. */
  env_vars?: Record<string, unknown> | null
  /** The environment: its name, `module#Class` for a class in the operator’s folder, or `gymnasium#` with an id of Gymnasium’s registry. If the field is absent, `env_id` names the environment; if that is absent too, the server takes the operator’s default. */
  env_class_path?: string | null
  /** The settings of the environment. They must fit the JSON Schema of the environment. */
  env_init_kwargs?: Record<string, unknown> | null
}

/** One call of a tool. */
export type StepEnvBody = {
  /** The id of the environment session. */
  session_id: string
  /** One of the tools that the session offers. */
  tool_name: string
  /** The arguments. They must fit the JSON Schema of the tool. */
  tool_args?: Record<string, unknown> | null
  /** Variables for this step alone. They take precedence over those of the session, and their values are secrets. */
  env_vars?: Record<string, unknown> | null
  /** true: the answer is a stream of frames. false: one JSON answer. */
  stream?: boolean | null
  /** An id for the request, which the envelopes of frames contain. A retry without an `Idempotency-Key` must repeat it, like the rest of the body. */
  request_id?: string | null
  /** The task for which the step is taken. The event of the step names this task. */
  task_id?: string | null
  /** The server accepts this field and does not use it, because the session has an owner. */
  user_id?: string | null
  /** The number that this step must get. If it would get another number, the server refuses the step (409). */
  expected_step?: number | null
}

/** A request to begin the session again. */
export type ResetEnvBody = {
  /** The id of the environment session. */
  session_id: string
  /** The seed of the reset. If it is absent, the server draws one. */
  seed?: number | null
  /** The options of the environment for a reset. */
  options?: Record<string, unknown> | null
}

/** Names a session. */
export type SessionBody = {
  /** The id of the environment session. */
  session_id: string
}

/** A kind of environment. */
export type EnvironmentInfo = {
  /** The name of the environment, for `env_id` or `env_class_path` of a create. */
  name: string
  /** `reprise` if the environment comes with the server; `ENV_PATH` if it comes from the operator’s folder; `gymnasium` if it comes from Gymnasium’s registry. */
  source: string
  /** The module that defines the environment. */
  module: string
  /** Whether the module can be imported: `true` or `false`, as a text. */
  importable: 'true' | 'false'
  /** The settings of the environment. The value of each is its default, or else its type. */
  default_params_summary: string
  /** `builtin`: the environment comes with the server. `external`: it comes from the operator’s folder. */
  origin: 'builtin' | 'external' | 'local'
  /** What the environment is. */
  description: string
  /** How much input the environment accepts and how much it stores, as a text for readers. */
  limits?: string
  /** Why the module cannot be imported. */
  error?: string
  /** Of the environment `mcp`: tools of MCP servers that were mended or left out, since their definitions are not as the protocol wants them. */
  odd_tools?: {
    server: string
    name: string
    problem: string
    left_out: boolean
  }[]
}

/** The environments of a name. */
export type EnvironmentDetails = {
  /** The name that was asked for. */
  name: string
  /** The environments of that name. */
  details: EnvironmentInfo[]
}

/** A new instance and its initial state. */
export type CreatedEnv = {
  /** The id of the environment session. */
  session_id: string
  /** The `env_id` with which the session was created. If the create had none, the server made one. */
  env_id: string
  /** The whole visible state, as an observation returns it. */
  initial_state: Record<string, unknown>
  /** The tools that can be called now. */
  tools: ToolDefinition[]
  /** Whether the episode is over. If it is, a reset must come before the next step. */
  done: boolean
}

/** The state of an instance after a reset. */
export type ResetEnv = {
  /** What the agent sees. */
  observation: Record<string, unknown>
  /** The tools that can be called now. */
  tools: ToolDefinition[]
  /** Whether the episode is over. If it is, a reset must come before the next step. */
  done: boolean
}

/** The present state of the session. */
export type ObservedEnv = {
  /** The whole visible state, as an observation returns it. */
  state: Record<string, unknown>
  /** The tools that can be called now. */
  tools: ToolDefinition[]
  /** Whether the episode is over. If it is, a reset must come before the next step. */
  done: boolean
}

/** The confirmation that a session is closed. */
export type ClosedEnv = {
  /** The result of the request. */
  status: 'closed'
  /** The result as a text. */
  message: string
}

/** The result of a step. */
export type EnvStepAnswer = {
  /** The id of the environment session. */
  session_id: string
  /** The `env_id` with which the session was created. If the create had none, the server made one. */
  env_id: string
  /** The number of the step. Steps of a session are counted from 1; resets and restarts do not change the count. */
  step: number
  /** The result of the tool. Its status is `incomplete` if the tool failed. */
  tool_result: ToolResultItem
  /** What the agent sees. */
  observation: Record<string, unknown>
  /** The whole visible state, as an observation returns it. */
  state: Record<string, unknown>
  /** The reward of this step. */
  reward: number
  /** The episode has reached its end. */
  terminated: boolean
  /** The episode was cut off. */
  truncated: boolean
  /** Whether the episode is over. If it is, a reset must come before the next step. */
  done: boolean
  /** Further information from the environment. `error` says why a tool failed. */
  info: Record<string, unknown>
  /** The tools that can be called now. */
  tools: ToolDefinition[]
}

/** The record of an environment session. */
export type EnvSession = {
  /** The id of the environment session. */
  session_id: string
  /** The user who owns the session. */
  user_id: string
  /** The client that created it. */
  client_id: string
  /** The `env_id` with which the session was created. If the create had none, the server made one. */
  env_id: string
  /** The names of its environment variables; their values are hidden. */
  env_vars: Record<string, unknown>
  /** Whether the session can take steps. */
  is_active: boolean
  /** When the session was created, in Unix seconds. */
  created_at: number
  /** When the session was created, stepped, reset or observed for the last time, in Unix seconds. */
  last_accessed_at: number
  /** The environment that runs, by the name that `GET /v1/env` shows. */
  kind: string
  /** Why the session was closed. */
  close_reason?: string
}

/** The confirmation that a session is deleted. */
export type DeletedSession = {
  /** The result of the request. */
  status: 'deleted'
  /** The id of the environment session. */
  session_id: string
  /** The result as a text. */
  message: string
}

/** The sessions that the server closed because nobody used them. */
export type CleanedSessions = {
  /** Always `ok`. */
  status: 'ok'
  /** The number of closed sessions. */
  cleaned_count: number
  /** The ids of the closed sessions. */
  cleaned_sessions: string[]
}

/** A request for a new cron job. */
export type CreateCronJobBody = {
  /** A name for people. Several jobs may have the same name. */
  name: string
  /** The body with which a run creates its task. It cannot set `stream` to true or set `task_id`. */
  task: {
    user_message_content: MessageContent
    stream?: boolean | null
    structured_output?: Record<string, unknown> | null
    client_id?: string | null
    request_id?: string | null
    session_id?: string | null
    task_id?: string | null
    user_id?: string | null
    agent_config?: AgentConfig | null
    allowed_tools?: string[] | null
    disallowed_tools?: string[] | null
    allowed_subagents?: string[] | null
    stop_tools?: string[] | null
    client_tools?: ToolDefinition[] | null
    history_messages?: OutputItem[] | null
    thought_messages?: OutputItem[] | null
    inference_args?: Record<string, unknown> | null
    workspace_dir?: string | null
    env?: Record<string, unknown> | null
    log_dir?: string | null
    rollout_save_dir?: string | null
    return_rollout?: boolean | null
    include_compress_model_rollout?: boolean | null
    include_subagent_rollout?: boolean | null
    background?: boolean | null
    on_disconnect?: 'continue' | 'cancel' | null
    metadata?: Record<string, unknown> | null
    webhook?: TaskWebhook | null
  }
  /** A cron pattern of 5 fields (minute, hour, day of the month, month, day of the week) or 6 (seconds first), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. */
  schedule?: string | null
  /** Seconds between two runs, counted from the creation of the job or from the change that set this. */
  every_seconds?: number | null
  /** The only time at which the job runs (ISO 8601). Without an offset it is a local time of `timezone`. */
  at?: string | null
  /** The time zone of `schedule`, such as `Europe/Berlin`. Default: `UTC`. */
  timezone?: string | null
  /** What to do with times that passed more than a minute ago, for example while the server was away. `skip` (default): record them. `run_once`: run once for all of them. */
  missed?: 'skip' | 'run_once' | null
  /** What to do with a time that comes while a run is at work. `skip` (default): record the time, without a run. `queue`: the run waits; at most 100 runs wait. `allow`: run at once. */
  overlap?: 'skip' | 'queue' | 'allow' | null
  /** Each run begins up to this many seconds later. A given time always gets the same delay. */
  jitter_seconds?: number | null
  /** false: the job is paused. */
  enabled?: boolean | null
  /** No run begins for a time after this one (ISO 8601). */
  ends_at?: string | null
  /** The job ends after this many runs of its schedule. */
  max_runs?: number | null
}

/** A change of a cron job. */
export type ChangeCronJobBody = {
  /** A name for people. Several jobs may have the same name. */
  name?: string | null
  /** The body with which a run creates its task. It cannot set `stream` to true or set `task_id`. */
  task?: {
    user_message_content: MessageContent
    stream?: boolean | null
    structured_output?: Record<string, unknown> | null
    client_id?: string | null
    request_id?: string | null
    session_id?: string | null
    task_id?: string | null
    user_id?: string | null
    agent_config?: AgentConfig | null
    allowed_tools?: string[] | null
    disallowed_tools?: string[] | null
    allowed_subagents?: string[] | null
    stop_tools?: string[] | null
    client_tools?: ToolDefinition[] | null
    history_messages?: OutputItem[] | null
    thought_messages?: OutputItem[] | null
    inference_args?: Record<string, unknown> | null
    workspace_dir?: string | null
    env?: Record<string, unknown> | null
    log_dir?: string | null
    rollout_save_dir?: string | null
    return_rollout?: boolean | null
    include_compress_model_rollout?: boolean | null
    include_subagent_rollout?: boolean | null
    background?: boolean | null
    on_disconnect?: 'continue' | 'cancel' | null
    metadata?: Record<string, unknown> | null
    webhook?: TaskWebhook | null
  } | null
  /** A cron pattern of 5 fields (minute, hour, day of the month, month, day of the week) or 6 (seconds first), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. */
  schedule?: string | null
  /** Seconds between two runs, counted from the creation of the job or from the change that set this. */
  every_seconds?: number | null
  /** The only time at which the job runs (ISO 8601). Without an offset it is a local time of `timezone`. */
  at?: string | null
  /** The time zone of `schedule`, such as `Europe/Berlin`. Default: `UTC`. */
  timezone?: string | null
  /** What to do with times that passed more than a minute ago, for example while the server was away. `skip` (default): record them. `run_once`: run once for all of them. */
  missed?: 'skip' | 'run_once' | null
  /** What to do with a time that comes while a run is at work. `skip` (default): record the time, without a run. `queue`: the run waits; at most 100 runs wait. `allow`: run at once. */
  overlap?: 'skip' | 'queue' | 'allow' | null
  /** Each run begins up to this many seconds later. A given time always gets the same delay. */
  jitter_seconds?: number | null
  /** false: the job is paused. */
  enabled?: boolean | null
  /** No run begins for a time after this one (ISO 8601). */
  ends_at?: string | null
  /** The job ends after this many runs of its schedule. */
  max_runs?: number | null
}

/** A cron job. */
export type CronJob = {
  /** The id of the job. */
  job_id: string
  /** The user who owns the job and its tasks. */
  user_id: string
  /** A name for people. Several jobs may have the same name. */
  name: string
  /** `active`, `paused`, or `ended`: no further run of the schedule follows. */
  status: 'active' | 'paused' | 'ended'
  /** Whether the status is `active`. */
  enabled: boolean
  /** `paused`: a caller paused the job. `no_valid_token`: all tokens of its maker are revoked or have expired; the job goes on when the maker has one again. */
  paused_reason?: string
  /** A cron pattern of 5 fields (minute, hour, day of the month, month, day of the week) or 6 (seconds first), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. */
  schedule?: string
  /** Seconds between two runs, counted from the creation of the job or from the change that set this. */
  every_seconds?: number
  /** The only time at which the job runs (ISO 8601). Without an offset it is a local time of `timezone`. */
  at?: string
  /** The time zone of `schedule`, such as `Europe/Berlin`. Default: `UTC`. */
  timezone: string
  /** The body with which a run creates its task. Secret values are shown as `***`. */
  task: Record<string, unknown>
  /** What to do with times that passed more than a minute ago, for example while the server was away. `skip` (default): record them. `run_once`: run once for all of them. */
  missed: 'skip' | 'run_once'
  /** What to do with a time that comes while a run is at work. `skip` (default): record the time, without a run. `queue`: the run waits; at most 100 runs wait. `allow`: run at once. */
  overlap: 'skip' | 'queue' | 'allow'
  /** Each run begins up to this many seconds later. A given time always gets the same delay. */
  jitter_seconds: number
  /** No run begins for a time after this one (ISO 8601). */
  ends_at?: string
  /** The job ends after this many runs of its schedule. */
  max_runs?: number
  /** When the job was created. */
  created_at: string
  /** When the next run of the schedule begins, with its jitter. Null: no such run is planned. */
  next_run_at: string | null
  /** How many runs have begun. */
  runs: number
  /** How many runs are at work. */
  running: number
  /** How many runs wait. */
  queued: number
  /** The newest run that completed or failed; null if there is none. */
  last_run: CronRun | null
}

/** A run of a cron job, or the record of times that were skipped. */
export type CronRun = {
  /** The id of the run. */
  run_id: string
  /** The task of the run; null while the run waits, and when there is none. */
  task_id: string | null
  /** The time of the schedule. */
  scheduled_at: string
  /** When the task was created. */
  started_at: string | null
  /** When the end of the task was stored. */
  ended_at: string | null
  /** `queued`, `running`, `completed`, `failed` or `skipped`. */
  status: 'queued' | 'running' | 'completed' | 'failed' | 'skipped'
  /** `overlap`, `missed`, `queue_full`, or `deleted`: the job was deleted while the run waited. */
  skipped_reason?: string
  /** The record is for all times from `scheduled_at` to this one. */
  skipped_until?: string
  /** The number of times that the record stands for. 1000 means 1000 or more. */
  skipped_count?: number
  /** Why the run failed: `failed`, `canceled` or `expired` if its task ended so; `invalid_task`, `quota` or `secret_missing` if no task was created. */
  reason?: string
  /** A text that says what went wrong. */
  error?: string
  /** A caller asked for the run. */
  manual?: true
}

/** A cron job that is deleted. */
export type DeletedCronJob = {
  /** Always `deleted`. */
  status: 'deleted'
  /** The id of the job. */
  job_id: string
  /** The same in words. */
  message: string
}

/** One frame of a task’s stream. Later versions may send further kinds of frames: ignore unknown kinds. */
export type TaskFrame = TaskCreatedFrame | TaskQueuedFrame | TaskWorkingFrame | TaskInputRequiredFrame | TaskPausedFrame | TaskCompletedFrame | TaskCanceledFrame | TaskExpiredFrame | TaskFailedFrame | TaskOutputItemAddedFrame | TaskOutputItemDoneFrame | TaskContentPartAddedFrame | TaskContentPartDoneFrame | TaskTextDeltaFrame | TaskTextDoneFrame | TaskReasoningTextDeltaFrame | TaskReasoningTextDoneFrame | TaskReasoningSummaryPartAddedFrame | TaskReasoningSummaryPartDoneFrame | TaskReasoningSummaryTextDeltaFrame | TaskReasoningSummaryTextDoneFrame | TaskToolCallArgumentsDeltaFrame | TaskToolCallArgumentsDoneFrame | TaskToolResultDeltaFrame | TaskToolResultDoneFrame | TaskToolsUpdatedFrame | TaskContextCompressionCreatedFrame | TaskContextCompressionInProgressFrame | TaskContextCompressionCompletedFrame | Rollout

/** The task was accepted. */
export type TaskCreatedFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.created'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** When the event of this frame happened. */
  timestamp: string
  /** The task object as of this frame. */
  task: Task
}

/** The task waits for its turn. */
export type TaskQueuedFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.queued'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** When the event of this frame happened. */
  timestamp: string
}

/** The task works. This frame is also sent after the task was answered or resumed. */
export type TaskWorkingFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.working'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** When the event of this frame happened. */
  timestamp: string
}

/** The task waits for results of client tools. This frame ends the stream of `createTask`. */
export type TaskInputRequiredFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.input_required'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** When the event of this frame happened. */
  timestamp: string
  /** The task object as of this frame. */
  task: Task
  /** The oldest call that waits for the client. */
  input_required: PendingCallItem
}

/** The task is paused. This frame ends the stream of `createTask`. */
export type TaskPausedFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.paused'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** When the event of this frame happened. */
  timestamp: string
  /** The task object as of this frame. */
  task: Task
}

/** The task is completed. This is its last frame. */
export type TaskCompletedFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.completed'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** When the event of this frame happened. */
  timestamp: string
  /** The task object as of this frame. */
  task: Task
}

/** The task was canceled. This is its last frame. */
export type TaskCanceledFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.canceled'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** When the event of this frame happened. */
  timestamp: string
  /** The task object as of this frame. */
  task: Task
}

/** The time of the task ran out. This is its last frame. */
export type TaskExpiredFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.expired'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** When the event of this frame happened. */
  timestamp: string
  /** The task object as of this frame. */
  task: Task
}

/** The task failed. This is its last frame. */
export type TaskFailedFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.failed'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** When the event of this frame happened. */
  timestamp: string
  /** The task object as of this frame. */
  task: Task
  /** Why the task failed. */
  error: ErrorObject
}

/** An item begins. Its text is still empty. */
export type TaskOutputItemAddedFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.output_item.added'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The item as of this frame. */
  item: OutputItem
}

/** An item is finished. Its status is `incomplete` if it was cut off. */
export type TaskOutputItemDoneFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.output_item.done'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The item as of this frame. */
  item: OutputItem
}

/** A part of a message, or of a thought, begins. */
export type TaskContentPartAddedFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.content_part.added'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The number of the part in the item, from 0. */
  content_index: number
  /** The part as of this frame. */
  part: TextContentItem
}

/** A part is finished. */
export type TaskContentPartDoneFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.content_part.done'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The number of the part in the item, from 0. */
  content_index: number
  /** The part as of this frame. */
  part: TextContentItem
}

/** More text of a message. */
export type TaskTextDeltaFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.text.delta'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The number of the part in the item, from 0. */
  content_index: number
  /** The new text. Append it to the text so far. */
  delta: string
}

/** The whole text of a part. */
export type TaskTextDoneFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.text.done'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The number of the part in the item, from 0. */
  content_index: number
  /** The whole text of the part. */
  text: string
}

/** More text of a thought. */
export type TaskReasoningTextDeltaFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.reasoning_text.delta'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The number of the part in the item, from 0. */
  content_index: number
  /** The new text. Append it to the text so far. */
  delta: string
}

/** The whole text of the thought. */
export type TaskReasoningTextDoneFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.reasoning_text.done'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The number of the part in the item, from 0. */
  content_index: number
  /** The whole text of the part. */
  text: string
}

/** A part of a summary of thoughts begins. */
export type TaskReasoningSummaryPartAddedFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.reasoning_summary_part.added'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The number of the part in the item, from 0. */
  content_index: number
  /** The part as of this frame. */
  part: TextContentItem
}

/** A part of a summary of thoughts is finished. */
export type TaskReasoningSummaryPartDoneFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.reasoning_summary_part.done'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The number of the part in the item, from 0. */
  content_index: number
  /** The part as of this frame. */
  part: TextContentItem
}

/** More text of a summary of thoughts. */
export type TaskReasoningSummaryTextDeltaFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.reasoning_summary_text.delta'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The number of the part in the item, from 0. */
  content_index: number
  /** The new text. Append it to the text so far. */
  delta: string
}

/** The whole text of the summary. */
export type TaskReasoningSummaryTextDoneFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.reasoning_summary_text.done'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The number of the part in the item, from 0. */
  content_index: number
  /** The whole text of the part. */
  text: string
}

/** More text of the arguments of a call. */
export type TaskToolCallArgumentsDeltaFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.tool_call_arguments.delta'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The id of the call. */
  call_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The new text. Append it to the text so far. */
  delta: string
}

/** The whole arguments of a call. */
export type TaskToolCallArgumentsDoneFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.tool_call_arguments.done'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The id of the call. */
  call_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The arguments as JSON text. */
  arguments: string
}

/** More of the result of a call, which streams its output while it runs. */
export type TaskToolResultDeltaFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.tool_result.delta'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The id of the call. */
  call_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** New content of the result. Append it to the content so far. */
  delta_message_content: MessageContent
  /** New blocks of the result. Append them to the blocks so far. */
  delta_block_list: Block[]
}

/** The whole result of a call, from a tool of the server or from the client. If there were deltas, the result is their sum. */
export type TaskToolResultDoneFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.tool_result.done'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The id of the item. */
  item_id: string
  /** The id of the call. */
  call_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The result as the agent sees it. */
  message_content: MessageContent
  /** Blocks to render. */
  block_list: Block[]
}

/** From now on the agent is offered the tools of this list. */
export type TaskToolsUpdatedFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.tools_updated'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** Every tool that is offered. */
  tools: ToolDefinition[]
}

/** The conversation has become too long for the model. */
export type TaskContextCompressionCreatedFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.context_compression.created'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The id of the summary. */
  compression_id: string
}

/** The model summarizes the older part of the conversation. */
export type TaskContextCompressionInProgressFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.context_compression.in_progress'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The id of the summary. */
  compression_id: string
}

/** The summary has replaced the older part of the conversation. */
export type TaskContextCompressionCompletedFrame = {
  /** The type of the frame. The `event` of the server-sent event is the same. */
  type: 'task.context_compression.completed'
  /** The number of the frame: frames of a task are counted from 0, without holes. */
  sequence_number: number
  /** The id of the task. */
  task_id: string
  /** The number of the agent step, from 1. */
  agent_step: number
  /** The id of the summary. */
  compression_id: string
  /** The tokens that the model used to make the summary. */
  usage: Usage
}

/** One event of `/api/events`. Later versions may send further kinds of events: ignore unknown kinds. */
export type PublicEvent = TaskCreatedEvent | TaskUpdatedEvent | TaskDeletedEvent | TaskStatusChangedEvent | AgentSpawnedEvent | AgentCompletedEvent | AgentErrorEvent | GroupChatMessageEvent | GroupChatAgentThinkingEvent | GroupChatAgentResponseEvent | CronJobTriggeredEvent | CronJobCompletedEvent | CronJobFailedEvent | EnvSessionCreatedEvent | EnvStepCompletedEvent | EnvSessionResetEvent | EnvSessionClosedEvent | EnvSessionDeletedEvent | WebhookDisabledEvent

/** A task was accepted. */
export type TaskCreatedEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'TaskCreated'
  /** When the event happened. */
  timestamp: string
  /** The id of the task. */
  task_id: string
  /** The first 80 characters of the user’s message. */
  title: string
  /** The id of the chat session of the task, or of the environment session. */
  session_id: string
  /** The user who owns the task or the environment session. */
  user_id: string
  /** The status of the task. */
  status: TaskStatus
  /** In a fork: the task from which it comes, and the frame `at` which its past ends. */
  forked_from?: {
    task_id: string
    at: number
  }
}

/** A task has a new finished item, or a client answered one of its calls. */
export type TaskUpdatedEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'TaskUpdated'
  /** When the event happened. */
  timestamp: string
  /** The id of the task. */
  task_id: string
  /** The id of the chat session of the task, or of the environment session. */
  session_id: string
  /** The number of the last frame that the event gave in the task’s stream. */
  sequence_number: number
  /** The fields of the task object whose values changed. */
  changed: string[]
}

/** A task was deleted. */
export type TaskDeletedEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'TaskDeleted'
  /** When the event happened. */
  timestamp: string
  /** The id of the task. */
  task_id: string
  /** The id of the chat session of the task, or of the environment session. */
  session_id: string
}

/** The status of a task changed. */
export type TaskStatusChangedEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'TaskStatusChanged'
  /** When the event happened. */
  timestamp: string
  /** The id of the task. */
  task_id: string
  /** The id of the chat session of the task, or of the environment session. */
  session_id: string
  /** The status of the task before. */
  old_status: TaskStatus
  /** The status of the task now. */
  new_status: TaskStatus
  /** The reason, if one was given. */
  reason?: string
  /** Only with the new status `input-required`: the calls that wait for the client, oldest first, at most 16. `arguments` is JSON text, and absent if it is longer than 4,096 characters. */
  pending_inputs?: {
    call_id: string
    name: string
    arguments?: string
    metadata?: {
      approval?: true
      schema?: Record<string, unknown>
      asked_by?: string
      url?: string
    }
  }[]
}

/** The agent of a task begins, just before the task works for the first time. */
export type AgentSpawnedEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'AgentSpawned'
  /** When the event happened. */
  timestamp: string
  /** The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat. */
  agent_id: string
  /** The id of the chat session of the task, or of the environment session. */
  session_id: string
  /** The folder in which the agent’s file tools work. */
  workdir: string
  /** The id of the task. */
  task_id: string
  /** The id of the agent that called this subagent. */
  parent_agent_id?: string
}

/** The agent of a task ended. `success` is false if the task was canceled or expired. */
export type AgentCompletedEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'AgentCompleted'
  /** When the event happened. */
  timestamp: string
  /** The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat. */
  agent_id: string
  /** The id of the chat session of the task, or of the environment session. */
  session_id: string
  /** The id of the task. */
  task_id: string
  /** Whether the task completed. */
  success: boolean
}

/** The agent of a task failed. */
export type AgentErrorEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'AgentError'
  /** When the event happened. */
  timestamp: string
  /** The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat. */
  agent_id: string
  /** The id of the chat session of the task, or of the environment session. */
  session_id: string
  /** The id of the task. */
  task_id: string
  /** A text that says what went wrong. */
  error: string
  /** The code of the task’s error. */
  code?: number
}

/** A speaker or the user said something in a group chat. */
export type GroupChatMessageEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'GroupChatMessage'
  /** When the event happened. */
  timestamp: string
  /** The id of the group chat, which is the id of its task. */
  group_chat_id: string
  /** The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat. */
  agent_id: string
  /** The name of the speaker; `user` for the user. In events of cron jobs: the name of the job. */
  name: string
  /** The number of the round, from 1. */
  round: number
  /** The id of the message: an item of the chat’s output. */
  message_id: string
  /** The role of the message. */
  role: 'assistant' | 'user'
  /** What was said. */
  content: MessageContent
}

/** The turn of a speaker, or of the moderator, begins in a group chat. */
export type GroupChatAgentThinkingEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'GroupChatAgentThinking'
  /** When the event happened. */
  timestamp: string
  /** The id of the group chat, which is the id of its task. */
  group_chat_id: string
  /** The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat. */
  agent_id: string
  /** The name of the speaker; `user` for the user. In events of cron jobs: the name of the job. */
  name: string
  /** The number of the round, from 1. */
  round: number
}

/** The turn of a speaker, or of the moderator, has ended. A GroupChatMessage follows if the content is said in the chat. */
export type GroupChatAgentResponseEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'GroupChatAgentResponse'
  /** When the event happened. */
  timestamp: string
  /** The id of the group chat, which is the id of its task. */
  group_chat_id: string
  /** The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat. */
  agent_id: string
  /** The name of the speaker; `user` for the user. In events of cron jobs: the name of the job. */
  name: string
  /** The number of the round, from 1. */
  round: number
  /** The id of the task. */
  task_id: string
  /** What was said. */
  content: string
  /** The tokens that the turn used; empty if none were counted. */
  usage: Record<string, unknown>
}

/** A run of a cron job began: its task was created. */
export type CronJobTriggeredEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'CronJobTriggered'
  /** When the event happened. */
  timestamp: string
  /** The id of the cron job. */
  job_id: string
  /** The name of the speaker; `user` for the user. In events of cron jobs: the name of the job. */
  name: string
  /** The id of the run. */
  run_id: string
  /** The id of the task. */
  task_id: string
  /** The time of the schedule for which the run began. */
  scheduled_at: string
}

/** The task of a run completed. */
export type CronJobCompletedEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'CronJobCompleted'
  /** When the event happened. */
  timestamp: string
  /** The id of the cron job. */
  job_id: string
  /** The name of the speaker; `user` for the user. In events of cron jobs: the name of the job. */
  name: string
  /** The id of the run. */
  run_id: string
  /** The id of the task. */
  task_id: string
  /** The time of the schedule for which the run began. */
  scheduled_at: string
  /** Milliseconds from the creation of the task to its end. */
  duration_ms: number
}

/** The task of a run failed, was canceled or expired, or the server refused to create it. `reason` is `failed`, `canceled`, `expired` or the reason of the refusal. */
export type CronJobFailedEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'CronJobFailed'
  /** When the event happened. */
  timestamp: string
  /** The id of the cron job. */
  job_id: string
  /** The name of the speaker; `user` for the user. In events of cron jobs: the name of the job. */
  name: string
  /** The id of the run. */
  run_id: string
  /** The id of the task. */
  task_id?: string
  /** The time of the schedule for which the run began. */
  scheduled_at: string
  /** Milliseconds from the creation of the task to its end. */
  duration_ms: number
  /** A text that says what went wrong. */
  error: string
  /** The reason, if one was given. */
  reason: string
}

/** An environment session begins with a new instance. A closed session may begin again. */
export type EnvSessionCreatedEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'EnvSessionCreated'
  /** When the event happened. */
  timestamp: string
  /** The id of the chat session of the task, or of the environment session. */
  session_id: string
  /** The `env_id` of the session. */
  env_id: string
  /** The user who owns the task or the environment session. */
  user_id: string
}

/** A step of an environment session was taken. */
export type EnvStepCompletedEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'EnvStepCompleted'
  /** When the event happened. */
  timestamp: string
  /** The id of the chat session of the task, or of the environment session. */
  session_id: string
  /** The number of the step. */
  step: number
  /** The tool that was called. */
  tool_name: string
  /** The reward of this step. */
  reward: number
  /** Whether the episode is over. */
  done: boolean
  /** The id of the task. */
  task_id?: string
}

/** An environment session was reset. */
export type EnvSessionResetEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'EnvSessionReset'
  /** When the event happened. */
  timestamp: string
  /** The id of the chat session of the task, or of the environment session. */
  session_id: string
  /** The seed of the reset. */
  seed: number
}

/** An environment session was closed by a client or by the server. */
export type EnvSessionClosedEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'EnvSessionClosed'
  /** When the event happened. */
  timestamp: string
  /** The id of the chat session of the task, or of the environment session. */
  session_id: string
  /** The reason, if one was given. */
  reason: string
}

/** An environment session was deleted. */
export type EnvSessionDeletedEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'EnvSessionDeleted'
  /** When the event happened. */
  timestamp: string
  /** The id of the chat session of the task, or of the environment session. */
  session_id: string
}

/** The server disabled a webhook whose deliveries fail. */
export type WebhookDisabledEvent = {
  /** The type of the event. The `event` of the server-sent event is the same. */
  type: 'WebhookDisabled'
  /** When the event happened. */
  timestamp: string
  /** The id of the webhook. */
  webhook_id: string
  /** The reason, if one was given. */
  reason: string
}

/** Stands where erased events stood, when a stream shows past events. Every filter of types lets it pass. */
export type Gap = {
  /** Always `Gap`. */
  type: 'Gap'
  /** The time of the last of these events. */
  timestamp: string
  /** The position of the first of these events. */
  from: number
  /** The position of the last of these events. */
  to: number
  /** Always `erased`. */
  reason: 'erased'
  /** The task to which the events belonged. */
  task_id?: string
  /** The session to which the events belonged. */
  session_id?: string
}

/** A webhook for the events of one task. */
export type TaskWebhook = {
  /** Where events are sent: an http or https URL that leads to a public address. */
  url: string
  /** The types of events that are sent; null or absent: all types except those that `/api/events` sends only if `types` names them. A webhook with `response.…` sends what OpenAI’s webhooks send, and nothing else. */
  types?: ('TaskCreated' | 'TaskUpdated' | 'TaskDeleted' | 'TaskStatusChanged' | 'AgentSpawned' | 'AgentCompleted' | 'AgentError' | 'GroupChatMessage' | 'GroupChatAgentThinking' | 'GroupChatAgentResponse' | 'CronJobTriggered' | 'CronJobCompleted' | 'CronJobFailed' | 'EnvSessionCreated' | 'EnvStepCompleted' | 'EnvSessionReset' | 'EnvSessionClosed' | 'EnvSessionDeleted' | 'WebhookDisabled' | 'response.completed' | 'response.failed' | 'response.incomplete' | 'response.cancelled')[] | null
  /** The signing secret: `whsec_` and the base64 of 24 to 64 bytes. Absent: requests are not signed. */
  secret?: string | null
}

/** A webhook to make. */
export type CreateWebhookBody = {
  /** Where events are sent: an http or https URL that leads to a public address. */
  url: string
  /** The signing secret: `whsec_` and the base64 of 24 to 64 bytes. Absent: the server makes one. */
  secret?: string | null
  /** The types of events that are sent; null or absent: all types except those that `/api/events` sends only if `types` names them. A webhook with `response.…` sends what OpenAI’s webhooks send, and nothing else. */
  types?: ('TaskCreated' | 'TaskUpdated' | 'TaskDeleted' | 'TaskStatusChanged' | 'AgentSpawned' | 'AgentCompleted' | 'AgentError' | 'GroupChatMessage' | 'GroupChatAgentThinking' | 'GroupChatAgentResponse' | 'CronJobTriggered' | 'CronJobCompleted' | 'CronJobFailed' | 'EnvSessionCreated' | 'EnvStepCompleted' | 'EnvSessionReset' | 'EnvSessionClosed' | 'EnvSessionDeleted' | 'WebhookDisabled' | 'response.completed' | 'response.failed' | 'response.incomplete' | 'response.cancelled')[] | null
  /** Only events of this session. */
  session_id?: string | null
  /** Only events of this task. */
  task_id?: string | null
  /** Headers of each request. Answers show `***` in place of each value. */
  headers?: Record<string, string> | null
  /** Whether events are sent. */
  enabled?: boolean | null
}

/** Changes of a webhook. An absent field stays as it is. */
export type ChangeWebhookBody = {
  /** Where events are sent: an http or https URL that leads to a public address. */
  url?: string | null
  /** The types of events that are sent; null or absent: all types except those that `/api/events` sends only if `types` names them. A webhook with `response.…` sends what OpenAI’s webhooks send, and nothing else. */
  types?: ('TaskCreated' | 'TaskUpdated' | 'TaskDeleted' | 'TaskStatusChanged' | 'AgentSpawned' | 'AgentCompleted' | 'AgentError' | 'GroupChatMessage' | 'GroupChatAgentThinking' | 'GroupChatAgentResponse' | 'CronJobTriggered' | 'CronJobCompleted' | 'CronJobFailed' | 'EnvSessionCreated' | 'EnvStepCompleted' | 'EnvSessionReset' | 'EnvSessionClosed' | 'EnvSessionDeleted' | 'WebhookDisabled' | 'response.completed' | 'response.failed' | 'response.incomplete' | 'response.cancelled')[] | null
  /** Only events of this session. */
  session_id?: string | null
  /** Only events of this task. */
  task_id?: string | null
  /** Headers of each request. Answers show `***` in place of each value. */
  headers?: Record<string, string> | null
  /** Whether events are sent. */
  enabled?: boolean | null
}

/** The new secret. */
export type RotateSecretBody = {
  /** The signing secret: `whsec_` and the base64 of 24 to 64 bytes. Absent: the server makes one. */
  secret?: string | null
}

/** A webhook. */
export type Webhook = {
  /** The id of the webhook. */
  id: string
  /** Where events are sent: an http or https URL that leads to a public address. */
  url: string
  /** The types of events that are sent; null or absent: all types except those that `/api/events` sends only if `types` names them. A webhook with `response.…` sends what OpenAI’s webhooks send, and nothing else. */
  types: string[] | null
  /** Only events of this session. */
  session_id: string | null
  /** Only events of this task. */
  task_id: string | null
  /** Headers of each request. Answers show `***` in place of each value. */
  headers: Record<string, string>
  /** Whether events are sent. */
  enabled: boolean
  /** `active`; `stopped`: the maker has no token any more; `disabled`; `ended`: the task of the webhook has ended, and its events were sent. */
  status: 'active' | 'stopped' | 'disabled' | 'ended'
  /** Why it is disabled: `requested`; `gone`: the receiver answered 410; `failing`: nothing succeeded for 5 days; `secret_missing`: the secret is not on this server, so rotate it. Null: it is enabled. */
  disabled_reason: string | null
  /** Whether requests are signed. Only the webhook of a task may have no secret. */
  signed: boolean
  /** The user whose events are sent; null: the events of all users. */
  user_id: string | null
  /** Whether the request that created a task asked for this webhook. */
  of_task: boolean
  /** When the webhook was made, in Unix seconds. */
  created_at: number
  /** Every event up to this position was delivered or skipped, or is not for this webhook. */
  position: number
  /** The number of delivered events. */
  delivered: number
  /** The event whose delivery fails at the moment, with the last error and the time of the next try. */
  failing: {
    event_id: string
    type: string
    attempts: number
    next_attempt_at: string
    status?: number
    error: string
  } | null
}

/** A webhook with its secret, which is shown this once. */
export type WebhookWithSecret = {
  /** The id of the webhook. */
  id: string
  /** Where events are sent: an http or https URL that leads to a public address. */
  url: string
  /** The types of events that are sent; null or absent: all types except those that `/api/events` sends only if `types` names them. A webhook with `response.…` sends what OpenAI’s webhooks send, and nothing else. */
  types: string[] | null
  /** Only events of this session. */
  session_id: string | null
  /** Only events of this task. */
  task_id: string | null
  /** Headers of each request. Answers show `***` in place of each value. */
  headers: Record<string, string>
  /** Whether events are sent. */
  enabled: boolean
  /** `active`; `stopped`: the maker has no token any more; `disabled`; `ended`: the task of the webhook has ended, and its events were sent. */
  status: 'active' | 'stopped' | 'disabled' | 'ended'
  /** Why it is disabled: `requested`; `gone`: the receiver answered 410; `failing`: nothing succeeded for 5 days; `secret_missing`: the secret is not on this server, so rotate it. Null: it is enabled. */
  disabled_reason: string | null
  /** Whether requests are signed. Only the webhook of a task may have no secret. */
  signed: boolean
  /** The user whose events are sent; null: the events of all users. */
  user_id: string | null
  /** Whether the request that created a task asked for this webhook. */
  of_task: boolean
  /** When the webhook was made, in Unix seconds. */
  created_at: number
  /** Every event up to this position was delivered or skipped, or is not for this webhook. */
  position: number
  /** The number of delivered events. */
  delivered: number
  /** The event whose delivery fails at the moment, with the last error and the time of the next try. */
  failing: {
    event_id: string
    type: string
    attempts: number
    next_attempt_at: string
    status?: number
    error: string
  } | null
  /** The signing secret: `whsec_` and the base64 of 24 to 64 bytes. */
  secret: string
}

/** A webhook that sends nothing any more. */
export type DeletedWebhook = {
  /** Always `deleted`. */
  status: 'deleted'
  /** The id of the webhook. */
  id: string
  /** The same in words. */
  message: string
}

/** The delivery of one event. */
export type WebhookDelivery = {
  /** The id of the event: its position, the `id:` of `/api/events`, and the header `webhook-id`. */
  id: string
  /** The type of the event. */
  type: string
  /** `delivered`; `failed`: the event may be tried again; `skipped`: it is not tried again. */
  outcome: 'delivered' | 'failed' | 'skipped'
  /** The number of tries so far. */
  attempts: number
  /** When the last try ended. */
  at: string
  /** How long the try took, in milliseconds. */
  duration_ms: number
  /** The HTTP status of the answer; null: there was none. */
  status: number | null
  /** Why the try failed; null: it succeeded. */
  error: string | null
  /** When the next try begins; null: there is none. */
  next_attempt_at: string | null
  /** The newest 50 tries, oldest first. */
  tries: DeliveryTry[]
}

/** A request for a delivery. */
export type DeliveryTry = {
  /** When the try ended. */
  at: string
  /** How long the try took, in milliseconds. */
  duration_ms: number
  /** The HTTP status of the answer; null: there was none. */
  status: number | null
  /** Why the try failed; null: it succeeded. */
  error: string | null
  /** The id of the token that asked for it (`redeliver`); null: the server tried by itself. */
  by: string | null
}

/** The outcome of a request that the caller asked for. */
export type WebhookTry = {
  /** The `webhook-id` of the request. */
  event_id: string
  /** The type of the event. */
  type: string
  /** Whether the receiver answered with 2xx. */
  delivered: boolean
  /** The HTTP status of the answer; null: there was none. */
  status: number | null
  /** Why the try failed; null: it succeeded. */
  error: string | null
  /** How long the try took, in milliseconds. */
  duration_ms: number
}

/** The input and the output of one completed agent step. With `return_rollout` it is also a frame of the task’s stream. In a step with a model, the messages are those of the model call, in the form of chat completions; in other steps they are output items. */
export type Rollout = {
  /** Always `task.rollout`. */
  type: 'task.rollout'
  /** The number of the frame that was next when the step completed. */
  sequence_number: number
  /** The position in the log of the event that completed the step. */
  position: number
  /** The id of the chat session. */
  session_id: string
  /** The id of the task. */
  task_id: string
  /** The id of the first task in the tree of subagents. */
  trace_id: string
  /** The id of the request that created the task. */
  request_id: string
  /** The id of this entry. */
  rollout_id: string
  /** In the entry of a subagent: the id of the entry of the step that called the subagent; null if the code of an agent has called it. */
  parent_rollout_id: string | null
  /** In the past of a fork: the step of which this one is a copy; else null. */
  fork_of: string | null
  /** The id of the step, or of the call of a model, in the events of the log. */
  effect_id: string
  /** The number of the user’s messages that the task has seen, from 1. */
  turn: number
  /** The number of the agent step, from 1. For a call of a model by code of a user: the number of the call among all that the code has asked for. */
  step: number
  /** Whether the step gave the agent’s answer. */
  is_answer: boolean
  /** Whether the step made a summary of a context that was too long. */
  is_compress: boolean
  /** The arguments that the request passed on to the endpoint. */
  inference_args: Record<string, unknown>
  /** The tools that were offered. */
  tools: unknown[]
  /** The fields that were sent to the model besides messages and tools. The body was `{...request, messages: input_messages, tools}`, without `tools` if there were none, and with the name in `messages_field`, if it is there, in place of `messages`. In a step without a model, `request` names the agent. */
  request: Record<string, unknown>
  /** The tokens that this step used. */
  usage: Record<string, unknown> | null
  /** The newest reward of the task. Only the last entry has this field. */
  reward: number | null
  /** base64url(SHA-256) of the body that was sent to the model. */
  request_digest?: string
  /** The id that the endpoint gave to its answer. */
  response_id?: string
  /** The model that answered. */
  model?: string
  /** The field of this name in the endpoint’s answer. */
  system_fingerprint?: string
  /** The field of this name in the endpoint’s answer. */
  finish_reason?: string
  /** The id that the endpoint gave to each call, by the `call_id` of the call. */
  provider_call_ids?: Record<string, string>
  /** The token ids of the prompt, if the endpoint gave them. */
  prompt_token_ids?: number[]
  /** The token ids of the answer, if the endpoint gave them. */
  completion_token_ids?: number[]
  /** The probabilities of the answer’s tokens, if the endpoint gave them. */
  logprobs?: Logprob[]
  /** The field of the body that had the messages, if it was not `messages`: `input` of Responses. */
  messages_field?: string
  /** The calls of the step that were steps of an environment session, each with the state before the step, the action, and the result. */
  env_steps?: {
    session_id: string
    env_id: string
    step: number
    call_id: string
    state_before: Record<string, unknown>
    action: {
      tool_name: string
      tool_args: Record<string, unknown>
    }
    observation: Record<string, unknown>
    state: Record<string, unknown>
    reward: number
    terminated: boolean
    truncated: boolean
    done: boolean
  }[]
  /** The input of the step. */
  input_messages: unknown[]
  /** The output of the step. */
  output_messages: unknown[]
}

/** Where two tasks differ. `left` is the task of the path, `right` the other one. */
export type Difference = {
  /** The number of the first frame that differs; null if no frame differs. */
  first_divergence: number | null
  /** The items of the output in pairs. `null`: this task has no such item. */
  items: {
    left: OutputItem | null
    right: OutputItem | null
    same: boolean
  }[]
  /** The stored events that differ, in pairs, the first 100 of them. */
  facts: {
    left: DiffFact | null
    right: DiffFact | null
    same: boolean
  }[]
}

/** A stored event. */
export type DiffFact = {
  /** The number of the event in the stream of its task. */
  revision: number
  /** The number of the first frame that the event gave; else of the next frame. */
  sequence_number: number
  /** The type of the event. */
  type: string
}

/** A ticket for a stream, or for a one-time link to the console. */
export type Ticket = {
  /** For a stream: the value of `?ticket=` in its address. For a link: the part of `/ui#login=` after the equals sign. */
  ticket: string
  /** The number of seconds within which the ticket must be used. */
  expires_in: number
}
