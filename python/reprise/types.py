"""The objects of requests and answers. Written by `npm run documents`, from the schemas of the server."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union


class _Task(TypedDict):
    object: Literal["task"]
    """Always `task`."""
    id: str
    """The id of the task."""
    session_id: str
    """The chat session of the task. Tasks of one session share their context, and only one of them works at a time."""
    user_id: str
    """The user who owns the task."""
    status: "TaskStatus"
    """The status of the task."""
    created_at: int
    """When the task was created, in Unix seconds."""
    output: List["OutputItem"]
    """What the agent said and did: items, in the order in which they began."""


class Task(_Task, total=False):
    """A task as it is now. `output` grows while the task works."""

    usage: "Usage"
    """Tokens that the model calls of this task used, without those of its subagents."""
    error: "ErrorObject"
    """Why the task failed."""
    input_required: "PendingCallItem"
    """The oldest tool call that waits for the client."""
    metadata: Dict[str, Any]
    """The metadata of the create, and keys that only the service writes: `agent`, `expires_at`, `reason`, `effect`, `pending_inputs`, `pending_task`, `continued_by`, `ended_by`, `parent_task_id`, `group_chat_id`, `subagent_usage`, `odd_tools`, `ignored_fields`, `incomplete_details`, `finish_reason`."""
    previous_task_id: str
    """The task before this one in the session."""
    rollouts: List[Dict[str, Any]]
    """The entries that `/rollouts` returns. Present only if the create had `return_rollout` and the task has ended; lists of tasks leave this field out."""


class _TaskSummary(TypedDict):
    object: Literal["task"]
    """Always `task`."""
    id: str
    """The id of the task."""
    session_id: str
    """The chat session of the task. Tasks of one session share their context, and only one of them works at a time."""
    user_id: str
    """The user who owns the task."""
    status: "TaskStatus"
    """The status of the task."""
    created_at: int
    """When the task was created, in Unix seconds."""
    question: str
    """The first 200 characters of the user’s message."""


class TaskSummary(_TaskSummary, total=False):
    """A task without its output, as lists give it with `fields=summary`."""

    usage: "Usage"
    """Tokens that the model calls of this task used, without those of its subagents."""
    error: "ErrorObject"
    """Why the task failed."""
    input_required: "PendingCallItem"
    """The oldest tool call that waits for the client."""
    metadata: Dict[str, Any]
    """The metadata of the create, and keys that only the service writes: `agent`, `expires_at`, `reason`, `effect`, `pending_inputs`, `pending_task`, `continued_by`, `ended_by`, `parent_task_id`, `group_chat_id`, `subagent_usage`, `odd_tools`, `ignored_fields`, `incomplete_details`, `finish_reason`."""
    previous_task_id: str
    """The task before this one in the session."""
    rollouts: List[Dict[str, Any]]
    """The entries that `/rollouts` returns. Present only if the create had `return_rollout` and the task has ended; lists of tasks leave this field out."""
    started_at: int
    """When the agent of the task began, in Unix seconds. Absent until then."""
    ended_at: int
    """When the task ended, in Unix seconds. Absent until then."""
    duration_ms: int
    """Milliseconds from the beginning of the agent to the end of the task."""


class TaskCounts(TypedDict):
    """The number of tasks that match the filters of a list."""

    total: int
    """The number of all these tasks."""
    by_status: Dict[str, Any]
    """The number of tasks in each status. A status without tasks is left out."""
    by_agent: Dict[str, Any]
    """For each agent, the number of its tasks in each status."""


class _AgentInfo(TypedDict):
    name: str
    """The name of the agent, for `agent_config.agent_id` or `client_id` of a create."""
    description: str
    """One sentence that says what the agent does."""
    kind: Literal["builtin", "function", "machine"]
    """`builtin`: the agent comes with the server. `function`, `machine`: it is code of a user."""
    source: str
    """The name of the file that defines the agent; `reprise` if the agent comes with the server, and `worker` if workers run it."""


class AgentInfo(_AgentInfo, total=False):
    """An agent that tasks may name."""

    dialect: str
    """The dialect in which the agent speaks to the endpoint of its model, if it has one."""
    parameters: Dict[str, Any]
    """A JSON Schema of what the agent reads from `agent_config`."""
    task_support: Literal["required", "optional", "none"]
    """Whether a call by MCP becomes a task: always (`required`), never (`none`), or when it takes long (`optional`, as without it)."""
    version: str
    """The version on which new tasks begin."""
    workers: int
    """The number of workers with this agent that are connected now."""
    connected_at: int
    """When a worker with this agent connected last, in Unix seconds."""
    user_id: str
    """The user whose tasks the workers serve. Absent: those of all users."""
    error: str
    """Why the file cannot be run as it is now. If an earlier version of it runs, that one goes on; otherwise a create that names the agent is refused."""


TaskStatus = Literal["created", "queued", "working", "input-required", "paused", "completed", "canceled", "expired", "failed"]
"""`completed`, `canceled`, `expired` and `failed` are final. A task in `input-required` waits for results of client tools. A task in `paused` waits until a client resumes it."""


OutputItem = Union["ReasoningItem", "MessageItem", "ToolCallItem", "ToolResultItem"]
"""A message, a reasoning, a tool call or a tool result."""


class _ReasoningItem(TypedDict):
    type: Literal["reasoning"]
    """The kind of item."""
    id: str
    """The id of the item; if it is absent, the service makes one."""
    summary: List["TextContentItem"]
    """A summary of the thoughts."""


class ReasoningItem(_ReasoningItem, total=False):
    """A reasoning of the agent."""

    content: List["TextContentItem"]
    """The thoughts themselves."""
    status: Literal["in_progress", "completed", "incomplete"]
    """`in_progress` while the item grows; `incomplete` if the item was cut off, or if a call was refused or failed."""


class _MessageItem(TypedDict):
    type: Literal["message"]
    """The kind of item."""
    role: Literal["user", "assistant", "system", "developer"]
    """The role of the speaker."""
    message_content: "MessageContent"
    """The content of the message."""


class MessageItem(_MessageItem, total=False):
    """A message."""

    id: str
    """The id of the item; if it is absent, the service makes one."""
    status: Literal["in_progress", "completed", "incomplete"]
    """`in_progress` while the item grows; `incomplete` if the item was cut off, or if a call was refused or failed."""
    name: str
    """The name of the role."""
    block_list: List["Block"]
    """Blocks to render, such as charts and tables."""


class _ToolCallItem(TypedDict):
    type: Literal["tool_call"]
    """The kind of item."""
    call_id: str
    """The id of the call. The result has the same `call_id`."""
    name: str
    """The name of the tool."""
    arguments: str
    """The arguments as JSON text."""


class ToolCallItem(_ToolCallItem, total=False):
    """A call of a tool."""

    id: str
    """The id of the item; if it is absent, the service makes one."""
    status: Literal["in_progress", "completed", "incomplete"]
    """`in_progress` while the item grows; `incomplete` if the item was cut off, or if a call was refused or failed."""
    language: Literal["json", "yaml", "python", "javascript"]
    """The language in which the arguments are written."""


class PendingCallItemMetadata(TypedDict, total=False):
    """`{"approval": true}`: the call waits for an approval (`POST /v1/tasks/{task_id}/approvals`). Otherwise it waits for its result, and `schema` is the JSON Schema that the agent gave for it, if any."""

    approval: Literal[True]
    schema: Dict[str, Any]
    asked_by: str
    url: str


class _PendingCallItem(TypedDict):
    type: Literal["tool_call"]
    """The kind of item."""
    call_id: str
    """The id of the call. The answer names it."""
    name: str
    """The name of the tool."""
    arguments: str
    """The arguments as JSON text."""


class PendingCallItem(_PendingCallItem, total=False):
    """A call that waits for the client, or for an approval."""

    id: str
    """The id of the item; if it is absent, the service makes one."""
    status: Literal["in_progress", "completed", "incomplete"]
    """`in_progress` while the item grows; `incomplete` if the item was cut off, or if a call was refused or failed."""
    language: Literal["json", "yaml", "python", "javascript"]
    """The language in which the arguments are written."""
    metadata: "PendingCallItemMetadata"
    """`{"approval": true}`: the call waits for an approval (`POST /v1/tasks/{task_id}/approvals`). Otherwise it waits for its result, and `schema` is the JSON Schema that the agent gave for it, if any."""


class _ToolResultItem(TypedDict):
    type: Literal["tool_result"]
    """The kind of item."""
    call_id: str
    """The `call_id` of the tool call to which this result belongs."""
    message_content: "MessageContent"
    """The result as the agent sees it."""
    block_list: List["Block"]
    """Blocks to render."""


class ToolResultItem(_ToolResultItem, total=False):
    """The result of a call."""

    id: str
    """The id of the item; if it is absent, the service makes one."""
    status: Literal["in_progress", "completed", "incomplete"]
    """`in_progress` while the item grows; `incomplete` if the item was cut off, or if a call was refused or failed."""


MessageContent = Union[str, List[Union[str, "ContentItem"]]]
"""A text, or a list of texts and content items."""


class _ContentItem2ImageUrl(TypedDict):
    url: str


class ContentItem2ImageUrl(_ContentItem2ImageUrl, total=False):
    detail: str


class ContentItem2(TypedDict):
    type: Literal["image", "input_image", "output_image", "image_url"]
    image_url: "ContentItem2ImageUrl"


class ContentItem3InputAudio(TypedDict):
    data: str
    format: str


class ContentItem3(TypedDict):
    type: Literal["input_audio", "output_audio", "audio"]
    input_audio: "ContentItem3InputAudio"


class _ContentItem4File(TypedDict):
    file_url: str
    filename: str


class ContentItem4File(_ContentItem4File, total=False):
    file_data: str


class _ContentItem4File2(TypedDict):
    file_data: str
    filename: str


class ContentItem4File2(_ContentItem4File2, total=False):
    file_url: str


class ContentItem4(TypedDict):
    type: Literal["file"]
    file: Union["ContentItem4File", "ContentItem4File2"]


ContentItem = Union["TextContentItem", "ContentItem2", "ContentItem3", "ContentItem4"]
"""A part of a message: text, image, audio or file."""


class _TextContentItem(TypedDict):
    type: Literal["text", "input_text", "output_text", "reasoning_text", "summary_text", "refusal"]
    """The kind of text."""
    text: str
    """The text."""


class TextContentItem(_TextContentItem, total=False):
    """A part that is text."""

    id: int
    """An id by which other fields can refer to this part."""
    tags: List[str]
    """Labels that say where the text comes from or what it is for."""
    annotations: List["Annotation"]
    """Citations, links and file paths."""
    logprobs: List["Logprob"]
    """Probabilities of the tokens of the text, if the model’s endpoint gave them."""


class Annotation1(TypedDict):
    type: Literal["file_citation"]
    file_id: str
    index: int
    filename: str


class _Annotation2(TypedDict):
    type: Literal["url_citation"]
    url: str


class Annotation2(_Annotation2, total=False):
    title: str
    start_index: int
    end_index: int


class _Annotation3(TypedDict):
    type: Literal["container_file_citation"]
    container_id: str
    file_id: str


class Annotation3(_Annotation3, total=False):
    filename: str
    start_index: int
    end_index: int


class _Annotation4(TypedDict):
    type: Literal["file_path"]
    file_id: str


class Annotation4(_Annotation4, total=False):
    index: int


class Annotation5(TypedDict):
    type: str


Annotation = Union["Annotation1", "Annotation2", "Annotation3", "Annotation4", "Annotation5"]
"""A source of a text."""


class _LogprobTopLogprobsEntry(TypedDict):
    token: str
    logprob: float


class LogprobTopLogprobsEntry(_LogprobTopLogprobsEntry, total=False):
    bytes: List[int]


class _Logprob(TypedDict):
    token: str
    """The token."""
    logprob: float
    """The natural logarithm of the token’s probability."""


class Logprob(_Logprob, total=False):
    """How probable a token was."""

    bytes: List[int]
    """The UTF-8 bytes of the token."""
    top_logprobs: List["LogprobTopLogprobsEntry"]
    """The most probable tokens at this place."""


Block = Dict[str, Any]
"""A block for a client to render. The server passes on unknown kinds unchanged."""


Usage = Dict[str, Any]
"""The tokens that model calls used. An endpoint may report more fields."""


class _ToolDefinitionFunction(TypedDict):
    name: str
    parameters: Dict[str, Any]


class ToolDefinitionFunction(_ToolDefinitionFunction, total=False):
    """The name of the tool, its purpose, and a JSON Schema of its arguments."""

    description: str
    strict: bool


class ToolDefinition(TypedDict):
    """A tool that can be called."""

    type: Literal["function"]
    """Always `function`."""
    function: "ToolDefinitionFunction"
    """The name of the tool, its purpose, and a JSON Schema of its arguments."""


class _ErrorObject(TypedDict):
    code: int
    """The code of the error."""
    message: str
    """The error as a text."""


class ErrorObject(_ErrorObject, total=False):
    """A JSON-RPC error. The error of a failed task has one of the codes `-32000` (AgentFailed), `-32008` (ToolsAway), `-32040` (AgentChanged), `-32041` (HostFailed), `-32602` (AnswerUnfit), which docs/errors.md explains, or one that a script has chosen. For the errors of requests, each operation names its codes."""

    data: Any
    """More about the error."""


class _CreateTaskBody(TypedDict):
    user_message_content: "MessageContent"
    """The message of the user. It may be empty if `history_messages` answers waiting calls."""
    stream: bool
    """true: the answer is a stream of frames. false: one JSON answer."""


class CreateTaskBody(_CreateTaskBody, total=False):
    """A request for a new task. A null in an optional field counts as absent, at any depth. Unknown keys are ignored, and `metadata.ignored_fields` names their paths."""

    structured_output: Union[Dict[str, Any], None]
    """A JSON Schema (2020-12) of the answer. The last message must be JSON that fits the schema. With `stream: true` the field is ignored."""
    client_id: Union[str, None]
    """The caller. If this is the name of an agent, that agent runs; otherwise the default agent runs."""
    request_id: Union[str, None]
    """An id for the chain of requests, which the envelope contains. A retry must repeat it, like the rest of the body."""
    session_id: Union[str, None]
    """The chat session to continue. If it is absent, a new session begins."""
    task_id: Union[str, None]
    """The id of the task. If it is absent, the server makes one. A second request with the same id and the same body returns the first task. A request with the id of a waiting task answers that task."""
    user_id: Union[str, None]
    """The end user. A request whose token belongs to a user must name that user or none."""
    agent_config: Union["AgentConfig", None]
    """The agent and its settings."""
    allowed_tools: Union[List[str], None]
    """The tools of the server that the agent may call. Null allows all, an empty list none. Subagents and `client_tools` need not be named here."""
    disallowed_tools: Union[List[str], None]
    """The tools that the agent may not call: tools of the server, tools of the client, and subagents as `agent_<name>`."""
    allowed_subagents: Union[List[str], None]
    """The subagents that the agent may call. Null allows all, an empty list none. `allowed_tools` does not affect subagents."""
    stop_tools: Union[List[str], None]
    """The task completes after the agent has called one of these tools."""
    client_tools: Union[List["ToolDefinition"], None]
    """Tools that the client runs. When the agent calls one, the task waits for the client’s result."""
    history_messages: Union[List["OutputItem"], None]
    """The earlier messages of the conversation, which replace those of the session. Results (`tool_result`) for calls of a waiting task of the session answer that task. A list of only such results does not replace the messages of the session."""
    thought_messages: Union[List["OutputItem"], None]
    """Thoughts of the assistant that the agent sees and the user does not."""
    inference_args: Union[Dict[str, Any], None]
    """Arguments that the server passes on to the model’s endpoint."""
    workspace_dir: Union[str, None]
    """The folder in which file tools work, inside the own folder of the task’s user."""
    env: Union[Dict[str, Any], None]
    """Variables for everything that runs for the task: steps and shell commands of its environment session, `run_javascript` (as `env`), subagents, and MCP servers that list the variables in `env_from`. Their values are secrets, and the server shows them to nobody."""
    log_dir: Union[str, None]
    """A folder for the task’s log, inside the own folder of the task’s user. When the task has ended, the server writes the file `<task id>.jsonl` there: a line of JSON for each frame, with its time."""
    rollout_save_dir: Union[str, None]
    """A folder for the task’s rollouts, inside the own folder of the task’s user. When the task has ended, the server writes the rollouts to a file there."""
    return_rollout: Union[bool, None]
    """The task contains its rollouts once it has ended."""
    include_compress_model_rollout: Union[bool, None]
    """The rollouts contain the steps that made summaries of the context."""
    include_subagent_rollout: Union[bool, None]
    """The rollouts contain the steps of subagents."""
    background: Union[bool, None]
    """With `stream: false`: the server answers at once, and the task continues."""
    on_disconnect: Union[Literal["continue", "cancel"], None]
    """`cancel`: if the caller disconnects before the answer is complete, the server cancels the task."""
    metadata: Union[Dict[str, Any], None]
    """Keys of the caller, which the server stores and returns. Keys that only the service writes are refused."""
    webhook: Union["TaskWebhook", None]
    """A URL to which the server sends the events of this task."""


class AgentConfig(TypedDict, total=False):
    """The agent that runs, and its settings."""

    agent_id: Union[str, None]
    """One of the agents that `GET /v1/agents` lists. Another name is refused, unless `developer_prompt` or `model` is given too: then the name is only a label, and the default agent runs."""
    name: Union[str, None]
    """A name for the agent."""
    description: Union[str, None]
    """What the agent is for."""
    developer_prompt: Union[str, None]
    """Instructions for the model."""
    model: Union[str, None]
    """The model at the endpoint, in place of the configured model."""
    max_model_length: Union[int, None]
    """The context window in tokens. When the context comes near this limit, a summary replaces its older part."""
    max_response_length: Union[int, None]
    """The length of the longest answer, in tokens."""
    compress_model: Union[str, None]
    """The model that writes the summary."""
    compress_prompt: Union[str, None]
    """The instructions for the summary."""
    compress_threshold_token_ratio: Union[float, None]
    """The part of the window that must be full before a summary is made."""
    inference_args: Union[Dict[str, Any], None]
    """Arguments that the server passes on to the endpoint. Those of the request take precedence."""
    allowed_tools: Union[List[str], None]
    """The tools of the server that the agent may call. Null allows all, an empty list none."""
    builtin_tools: Union[List[str], None]
    """The built-in tools that the agent is offered. Null offers all."""
    builtin_subagents: Union[List[str], None]
    """The subagents that the agent may call and is offered. Absent or null: it may call every agent, and is offered only `model`."""
    tool_mcp_config: Union[Dict[str, Any], None]
    """The MCP servers of the task: `{"mcpServers": {name: {}}}` for a server of the operator, or `{url, headers}` in place of `{}` for a public server. The values of headers are secrets."""
    code_interpreter_config: Any
    """Accepted without effect, and named in `metadata.ignored_fields`."""
    code_for_agent: Any
    """Accepted without effect, and named in `metadata.ignored_fields`."""
    code_for_interpreter: Any
    """Accepted without effect, and named in `metadata.ignored_fields`."""
    script: Union[List["ScriptStep"], None]
    """The steps that the agent `script` plays, one entry for each step."""
    approve: Union[List[str], None]
    """Patterns of tools whose calls wait until somebody approves them: names of tools with `*` for any characters, `mcp:<server>`, `agent:<agent>`, `env:<tool>`, or `*` for every tool of the server. Subagents take over the patterns."""
    group: Union["GroupConfig", None]
    """The group chat that the agent `group` runs."""


class SpeakerConfig(TypedDict, total=False):
    """A speaker of a group chat: an agent with its settings, and a name of its own. Its fields are those of AgentConfig, without `group` and `tool_mcp_config`."""

    agent_id: Union[str, None]
    """One of the agents that `GET /v1/agents` lists. Another name is refused, unless `developer_prompt` or `model` is given too: then the name is only a label, and the default agent runs."""
    name: Union[str, None]
    """The name of the speaker. Names of a chat are unique."""
    description: Union[str, None]
    """What the agent is for."""
    developer_prompt: Union[str, None]
    """Instructions for the model."""
    model: Union[str, None]
    """The model at the endpoint, in place of the configured model."""
    max_model_length: Union[int, None]
    """The context window in tokens. When the context comes near this limit, a summary replaces its older part."""
    max_response_length: Union[int, None]
    """The length of the longest answer, in tokens."""
    compress_model: Union[str, None]
    """The model that writes the summary."""
    compress_prompt: Union[str, None]
    """The instructions for the summary."""
    compress_threshold_token_ratio: Union[float, None]
    """The part of the window that must be full before a summary is made."""
    inference_args: Union[Dict[str, Any], None]
    """Arguments that the server passes on to the endpoint. Those of the request take precedence."""
    allowed_tools: Union[List[str], None]
    """The tools of the server that the agent may call. Null allows all, an empty list none."""
    builtin_tools: Union[List[str], None]
    """The built-in tools that the agent is offered. Null offers all."""
    builtin_subagents: Union[List[str], None]
    """The subagents that the agent may call and is offered. Absent or null: it may call every agent, and is offered only `model`."""
    tool_mcp_config: Union[Dict[str, Any], None]
    """Refused here: the speakers use the servers of the chat’s own `agent_config`."""
    code_interpreter_config: Any
    """Accepted without effect, and named in `metadata.ignored_fields`."""
    code_for_agent: Any
    """Accepted without effect, and named in `metadata.ignored_fields`."""
    code_for_interpreter: Any
    """Accepted without effect, and named in `metadata.ignored_fields`."""
    script: Union[List["ScriptStep"], None]
    """The steps that the agent `script` plays. A turn plays them up to and including the next message; after the last message they begin again."""
    approve: Union[List[str], None]
    """Patterns of tools whose calls wait until somebody approves them: names of tools with `*` for any characters, `mcp:<server>`, `agent:<agent>`, `env:<tool>`, or `*` for every tool of the server. Subagents take over the patterns."""


class _GroupConfig(TypedDict):
    agents: List["SpeakerConfig"]
    """The speakers. Each `name` has 1 to 64 letters, digits, `_` or `-`, and no two names are equal. The names `user` and `END` are taken."""


class GroupConfig(_GroupConfig, total=False):
    """A group chat: who speaks, in which order, and when it ends."""

    order: Union[Literal["round_robin", "moderator", "free"], None]
    """`round_robin`, the default: one after the other. `moderator`: the moderator chooses each speaker, or ends the chat. `free`: one after the other, and each may pass; the chat ends after a round in which nobody spoke."""
    moderator: Union["SpeakerConfig", None]
    """The moderator, only with `order: moderator`. Its text is the name of the next speaker, or `END`. A moderator without a `name` is called `moderator`."""
    max_rounds: Union[int, None]
    """The largest number of rounds, 10 if absent. A round is one turn of each speaker. With a moderator, it is the moderator’s choice and the turn of the chosen speaker."""
    stop_words: Union[List[str], None]
    """The chat ends after a speaker’s message that contains one of these texts."""
    on_failure: Union[Literal["skip", "fail"], None]
    """What happens when a turn fails. `skip` (if absent): the next turn follows. `fail`: the chat fails too."""


class _ScriptStepToolsEntry(TypedDict):
    tool: str


class ScriptStepToolsEntry(_ScriptStepToolsEntry, total=False):
    arguments: Dict[str, Any]


class ScriptStepFail(TypedDict):
    """The step fails with this error."""

    code: int
    message: str


class ScriptStep(TypedDict, total=False):
    """One step of a script, which names exactly one action. The server replaces `$result` in a text with the result of the last tool. In a script for a subagent, the server escapes that result, so that the script stays JSON."""

    reasoning: str
    """The step thinks this text."""
    message: str
    """The step says this text."""
    delta_ms: int
    """Milliseconds between the words of a message."""
    tool: str
    """The step calls this tool."""
    arguments: Dict[str, Any]
    """The arguments of the call."""
    tools: List["ScriptStepToolsEntry"]
    """The step calls these tools, all at once."""
    subagent: str
    """The step gives `input` to this agent, as a task of its own."""
    input: str
    """The message for the subagent."""
    sleep_ms: int
    """The step waits for this number of milliseconds."""
    pause: str
    """The step pauses the task for this reason."""
    fail: "ScriptStepFail"
    """The step fails with this error."""
    usage: "Usage"
    """The step reports this usage."""


class _AnswerCallsBodyToolResultsEntry(TypedDict):
    call_id: str
    message_content: "MessageContent"


class AnswerCallsBodyToolResultsEntry(_AnswerCallsBodyToolResultsEntry, total=False):
    block_list: Union[List["Block"], None]
    status: Union[Literal["completed", "incomplete"], None]


class AnswerCallsBody(TypedDict):
    """Results of calls that wait for the client."""

    tool_results: List["AnswerCallsBodyToolResultsEntry"]
    """At least one result. `status: incomplete` says that the call failed. The first answer to a call counts."""


class _DecideApprovalBody(TypedDict):
    call_id: str
    """The id of the call."""
    decision: Literal["approve", "refuse"]
    """`approve`: the call runs. `refuse`: it does not run, and its result tells the agent so."""


class DecideApprovalBody(_DecideApprovalBody, total=False):
    """A decision about a call that waits for an approval. The first decision counts."""

    arguments: Union[Dict[str, Any], None]
    """Only with `approve`: the call runs with these arguments. They must fit the tool. The item of the call shows them from then on."""
    reason: Union[str, None]
    """Why. The agent reads the reason of a refusal."""


class _ForkTaskBody(TypedDict):
    at: int
    """The number of a frame of the task. The past of the fork ends with the append that gave this frame."""


class ForkTaskBody(_ForkTaskBody, total=False):
    """Where a fork begins, and what is different in it."""

    agent_config: Union["AgentConfig", None]
    """Settings of the agent. Each one replaces that of the task."""
    user_message_content: Union["MessageContent", None]
    """A further message of the user, which the next step of the fork sees."""
    run: Union[bool, None]
    """`false`: the fork is paused. Without it, the fork continues at once."""
    task_id: Union[str, None]
    """The id of the fork. Without it, the server makes one."""
    agent: Union[str, None]
    """Short for `agent_config.agent_id`."""
    model: Union[str, None]
    """Short for `agent_config.model`."""
    message: Union["MessageContent", None]
    """Short for `user_message_content`."""
    pause: Union[bool, None]
    """`true` is short for `run: false`."""


class PostMessageBody(TypedDict, total=False):
    """A message to the agent while it works: exactly one of the two fields."""

    content: "MessageContent"
    """The message. It must not be empty."""
    event: "MachineEvent"
    """An event for the statechart of the agent. Only an agent that is code of a user takes events."""


MachineEvent = Dict[str, Any]
"""An event for the statechart of an agent. All its fields reach the chart."""


class _RewardBody(TypedDict):
    value: float
    """The reward."""


class RewardBody(_RewardBody, total=False):
    """A reward for a task."""

    name: Union[str, None]
    """The name of the reward."""
    data: Any
    """More about the reward, in any form."""


class CreateEnvBody(TypedDict, total=False):
    """A request for a new instance. A null field counts as absent, and unknown fields are ignored."""

    session_id: Union[str, None]
    """The id of the session; if it is absent, the server makes one."""
    env_id: Union[str, None]
    """The name of an environment. An unknown name is refused (404). If `env_class_path` is given, `env_id` is only a label. If `env_id` is absent, the server makes one."""
    user_id: Union[str, None]
    """The user who will own the session. A request whose token belongs to a user must name that user or none."""
    client_id: Union[str, None]
    """The client that sends the request."""
    env_vars: Union[Dict[str, Any], None]
    """Variables for the environment and its commands. Their values are secrets, and the server shows them to nobody."""
    env_class_path: Union[str, None]
    """The environment: its name, `module#Class` for a class in the operator’s folder, or `gymnasium#` with an id of Gymnasium’s registry. If the field is absent, `env_id` names the environment; if that is absent too, the server takes the operator’s default."""
    env_init_kwargs: Union[Dict[str, Any], None]
    """The settings of the environment. They must fit the JSON Schema of the environment."""


class _StepEnvBody(TypedDict):
    session_id: str
    """The id of the environment session."""
    tool_name: str
    """One of the tools that the session offers."""


class StepEnvBody(_StepEnvBody, total=False):
    """One call of a tool."""

    tool_args: Union[Dict[str, Any], None]
    """The arguments. They must fit the JSON Schema of the tool."""
    env_vars: Union[Dict[str, Any], None]
    """Variables for this step alone. They take precedence over those of the session, and their values are secrets."""
    stream: Union[bool, None]
    """true: the answer is a stream of frames. false: one JSON answer."""
    request_id: Union[str, None]
    """An id for the request, which the envelopes of frames contain. A retry without an `Idempotency-Key` must repeat it, like the rest of the body."""
    task_id: Union[str, None]
    """The task for which the step is taken. The event of the step names this task."""
    user_id: Union[str, None]
    """The server accepts this field and does not use it, because the session has an owner."""
    expected_step: Union[int, None]
    """The number that this step must get. If it would get another number, the server refuses the step (409)."""


class _ResetEnvBody(TypedDict):
    session_id: str
    """The id of the environment session."""


class ResetEnvBody(_ResetEnvBody, total=False):
    """A request to begin the session again."""

    seed: Union[int, None]
    """The seed of the reset. If it is absent, the server draws one."""
    options: Union[Dict[str, Any], None]
    """The options of the environment for a reset."""


class SessionBody(TypedDict):
    """Names a session."""

    session_id: str
    """The id of the environment session."""


class EnvironmentInfoOddToolsEntry(TypedDict):
    server: str
    name: str
    problem: str
    left_out: bool


class _EnvironmentInfo(TypedDict):
    name: str
    """The name of the environment, for `env_id` or `env_class_path` of a create."""
    source: str
    """`reprise` if the environment comes with the server; `ENV_PATH` if it comes from the operator’s folder; `gymnasium` if it comes from Gymnasium’s registry."""
    module: str
    """The module that defines the environment."""
    importable: Literal["true", "false"]
    """Whether the module can be imported: `true` or `false`, as a text."""
    default_params_summary: str
    """The settings of the environment. The value of each is its default, or else its type."""
    origin: Literal["builtin", "external", "local"]
    """`builtin`: the environment comes with the server. `external`: it comes from the operator’s folder."""
    description: str
    """What the environment is."""


class EnvironmentInfo(_EnvironmentInfo, total=False):
    """A kind of environment."""

    limits: str
    """How much input the environment accepts and how much it stores, as a text for readers."""
    error: str
    """Why the module cannot be imported."""
    odd_tools: List["EnvironmentInfoOddToolsEntry"]
    """Of the environment `mcp`: tools of MCP servers that were mended or left out, since their definitions are not as the protocol wants them."""


class EnvironmentDetails(TypedDict):
    """The environments of a name."""

    name: str
    """The name that was asked for."""
    details: List["EnvironmentInfo"]
    """The environments of that name."""


class CreatedEnv(TypedDict):
    """A new instance and its initial state."""

    session_id: str
    """The id of the environment session."""
    env_id: str
    """The `env_id` with which the session was created. If the create had none, the server made one."""
    initial_state: Dict[str, Any]
    """The whole visible state, as an observation returns it."""
    tools: List["ToolDefinition"]
    """The tools that can be called now."""
    done: bool
    """Whether the episode is over. If it is, a reset must come before the next step."""


class ResetEnv(TypedDict):
    """The state of an instance after a reset."""

    observation: Dict[str, Any]
    """What the agent sees."""
    tools: List["ToolDefinition"]
    """The tools that can be called now."""
    done: bool
    """Whether the episode is over. If it is, a reset must come before the next step."""


class ObservedEnv(TypedDict):
    """The present state of the session."""

    state: Dict[str, Any]
    """The whole visible state, as an observation returns it."""
    tools: List["ToolDefinition"]
    """The tools that can be called now."""
    done: bool
    """Whether the episode is over. If it is, a reset must come before the next step."""


class ClosedEnv(TypedDict):
    """The confirmation that a session is closed."""

    status: Literal["closed"]
    """The result of the request."""
    message: str
    """The result as a text."""


class EnvStepAnswer(TypedDict):
    """The result of a step."""

    session_id: str
    """The id of the environment session."""
    env_id: str
    """The `env_id` with which the session was created. If the create had none, the server made one."""
    step: int
    """The number of the step. Steps of a session are counted from 1; resets and restarts do not change the count."""
    tool_result: "ToolResultItem"
    """The result of the tool. Its status is `incomplete` if the tool failed."""
    observation: Dict[str, Any]
    """What the agent sees."""
    state: Dict[str, Any]
    """The whole visible state, as an observation returns it."""
    reward: float
    """The reward of this step."""
    terminated: bool
    """The episode has reached its end."""
    truncated: bool
    """The episode was cut off."""
    done: bool
    """Whether the episode is over. If it is, a reset must come before the next step."""
    info: Dict[str, Any]
    """Further information from the environment. `error` says why a tool failed."""
    tools: List["ToolDefinition"]
    """The tools that can be called now."""


class _EnvSession(TypedDict):
    session_id: str
    """The id of the environment session."""
    user_id: str
    """The user who owns the session."""
    client_id: str
    """The client that created it."""
    env_id: str
    """The `env_id` with which the session was created. If the create had none, the server made one."""
    env_vars: Dict[str, Any]
    """The names of its environment variables; their values are hidden."""
    is_active: bool
    """Whether the session can take steps."""
    created_at: int
    """When the session was created, in Unix seconds."""
    last_accessed_at: int
    """When the session was created, stepped, reset or observed for the last time, in Unix seconds."""
    kind: str
    """The environment that runs, by the name that `GET /v1/env` shows."""


class EnvSession(_EnvSession, total=False):
    """The record of an environment session."""

    close_reason: str
    """Why the session was closed."""


class DeletedSession(TypedDict):
    """The confirmation that a session is deleted."""

    status: Literal["deleted"]
    """The result of the request."""
    session_id: str
    """The id of the environment session."""
    message: str
    """The result as a text."""


class CleanedSessions(TypedDict):
    """The sessions that the server closed because nobody used them."""

    status: Literal["ok"]
    """Always `ok`."""
    cleaned_count: int
    """The number of closed sessions."""
    cleaned_sessions: List[str]
    """The ids of the closed sessions."""


class _CreateCronJobBodyTask(TypedDict):
    user_message_content: "MessageContent"


class CreateCronJobBodyTask(_CreateCronJobBodyTask, total=False):
    """The body with which a run creates its task. It cannot set `stream` to true or set `task_id`."""

    stream: Union[bool, None]
    structured_output: Union[Dict[str, Any], None]
    client_id: Union[str, None]
    request_id: Union[str, None]
    session_id: Union[str, None]
    task_id: Union[str, None]
    user_id: Union[str, None]
    agent_config: Union["AgentConfig", None]
    allowed_tools: Union[List[str], None]
    disallowed_tools: Union[List[str], None]
    allowed_subagents: Union[List[str], None]
    stop_tools: Union[List[str], None]
    client_tools: Union[List["ToolDefinition"], None]
    history_messages: Union[List["OutputItem"], None]
    thought_messages: Union[List["OutputItem"], None]
    inference_args: Union[Dict[str, Any], None]
    workspace_dir: Union[str, None]
    env: Union[Dict[str, Any], None]
    log_dir: Union[str, None]
    rollout_save_dir: Union[str, None]
    return_rollout: Union[bool, None]
    include_compress_model_rollout: Union[bool, None]
    include_subagent_rollout: Union[bool, None]
    background: Union[bool, None]
    on_disconnect: Union[Literal["continue", "cancel"], None]
    metadata: Union[Dict[str, Any], None]
    webhook: Union["TaskWebhook", None]


class _CreateCronJobBody(TypedDict):
    name: str
    """A name for people. Several jobs may have the same name."""
    task: "CreateCronJobBodyTask"
    """The body with which a run creates its task. It cannot set `stream` to true or set `task_id`."""


class CreateCronJobBody(_CreateCronJobBody, total=False):
    """A request for a new cron job."""

    schedule: Union[str, None]
    """A cron pattern of 5 fields (minute, hour, day of the month, month, day of the week) or 6 (seconds first), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`."""
    every_seconds: Union[int, None]
    """Seconds between two runs, counted from the creation of the job or from the change that set this."""
    at: Union[str, None]
    """The only time at which the job runs (ISO 8601). Without an offset it is a local time of `timezone`."""
    timezone: Union[str, None]
    """The time zone of `schedule`, such as `Europe/Berlin`. Default: `UTC`."""
    missed: Union[Literal["skip", "run_once"], None]
    """What to do with times that passed more than a minute ago, for example while the server was away. `skip` (default): record them. `run_once`: run once for all of them."""
    overlap: Union[Literal["skip", "queue", "allow"], None]
    """What to do with a time that comes while a run is at work. `skip` (default): record the time, without a run. `queue`: the run waits; at most 100 runs wait. `allow`: run at once."""
    jitter_seconds: Union[int, None]
    """Each run begins up to this many seconds later. A given time always gets the same delay."""
    enabled: Union[bool, None]
    """false: the job is paused."""
    ends_at: Union[str, None]
    """No run begins for a time after this one (ISO 8601)."""
    max_runs: Union[int, None]
    """The job ends after this many runs of its schedule."""


class _ChangeCronJobBodyTask(TypedDict):
    user_message_content: "MessageContent"


class ChangeCronJobBodyTask(_ChangeCronJobBodyTask, total=False):
    stream: Union[bool, None]
    structured_output: Union[Dict[str, Any], None]
    client_id: Union[str, None]
    request_id: Union[str, None]
    session_id: Union[str, None]
    task_id: Union[str, None]
    user_id: Union[str, None]
    agent_config: Union["AgentConfig", None]
    allowed_tools: Union[List[str], None]
    disallowed_tools: Union[List[str], None]
    allowed_subagents: Union[List[str], None]
    stop_tools: Union[List[str], None]
    client_tools: Union[List["ToolDefinition"], None]
    history_messages: Union[List["OutputItem"], None]
    thought_messages: Union[List["OutputItem"], None]
    inference_args: Union[Dict[str, Any], None]
    workspace_dir: Union[str, None]
    env: Union[Dict[str, Any], None]
    log_dir: Union[str, None]
    rollout_save_dir: Union[str, None]
    return_rollout: Union[bool, None]
    include_compress_model_rollout: Union[bool, None]
    include_subagent_rollout: Union[bool, None]
    background: Union[bool, None]
    on_disconnect: Union[Literal["continue", "cancel"], None]
    metadata: Union[Dict[str, Any], None]
    webhook: Union["TaskWebhook", None]


class ChangeCronJobBody(TypedDict, total=False):
    """A change of a cron job."""

    name: Union[str, None]
    """A name for people. Several jobs may have the same name."""
    task: Union["ChangeCronJobBodyTask", None]
    """The body with which a run creates its task. It cannot set `stream` to true or set `task_id`."""
    schedule: Union[str, None]
    """A cron pattern of 5 fields (minute, hour, day of the month, month, day of the week) or 6 (seconds first), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`."""
    every_seconds: Union[int, None]
    """Seconds between two runs, counted from the creation of the job or from the change that set this."""
    at: Union[str, None]
    """The only time at which the job runs (ISO 8601). Without an offset it is a local time of `timezone`."""
    timezone: Union[str, None]
    """The time zone of `schedule`, such as `Europe/Berlin`. Default: `UTC`."""
    missed: Union[Literal["skip", "run_once"], None]
    """What to do with times that passed more than a minute ago, for example while the server was away. `skip` (default): record them. `run_once`: run once for all of them."""
    overlap: Union[Literal["skip", "queue", "allow"], None]
    """What to do with a time that comes while a run is at work. `skip` (default): record the time, without a run. `queue`: the run waits; at most 100 runs wait. `allow`: run at once."""
    jitter_seconds: Union[int, None]
    """Each run begins up to this many seconds later. A given time always gets the same delay."""
    enabled: Union[bool, None]
    """false: the job is paused."""
    ends_at: Union[str, None]
    """No run begins for a time after this one (ISO 8601)."""
    max_runs: Union[int, None]
    """The job ends after this many runs of its schedule."""


class _CronJob(TypedDict):
    job_id: str
    """The id of the job."""
    user_id: str
    """The user who owns the job and its tasks."""
    name: str
    """A name for people. Several jobs may have the same name."""
    status: Literal["active", "paused", "ended"]
    """`active`, `paused`, or `ended`: no further run of the schedule follows."""
    enabled: bool
    """Whether the status is `active`."""
    timezone: str
    """The time zone of `schedule`, such as `Europe/Berlin`. Default: `UTC`."""
    task: Dict[str, Any]
    """The body with which a run creates its task. Secret values are shown as `***`."""
    missed: Literal["skip", "run_once"]
    """What to do with times that passed more than a minute ago, for example while the server was away. `skip` (default): record them. `run_once`: run once for all of them."""
    overlap: Literal["skip", "queue", "allow"]
    """What to do with a time that comes while a run is at work. `skip` (default): record the time, without a run. `queue`: the run waits; at most 100 runs wait. `allow`: run at once."""
    jitter_seconds: int
    """Each run begins up to this many seconds later. A given time always gets the same delay."""
    created_at: str
    """When the job was created."""
    next_run_at: Union[str, None]
    """When the next run of the schedule begins, with its jitter. Null: no such run is planned."""
    runs: int
    """How many runs have begun."""
    running: int
    """How many runs are at work."""
    queued: int
    """How many runs wait."""
    last_run: Union["CronRun", None]
    """The newest run that completed or failed; null if there is none."""


class CronJob(_CronJob, total=False):
    """A cron job."""

    paused_reason: str
    """`paused`: a caller paused the job. `no_valid_token`: all tokens of its maker are revoked or have expired; the job goes on when the maker has one again."""
    schedule: str
    """A cron pattern of 5 fields (minute, hour, day of the month, month, day of the week) or 6 (seconds first), or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`."""
    every_seconds: int
    """Seconds between two runs, counted from the creation of the job or from the change that set this."""
    at: str
    """The only time at which the job runs (ISO 8601). Without an offset it is a local time of `timezone`."""
    ends_at: str
    """No run begins for a time after this one (ISO 8601)."""
    max_runs: int
    """The job ends after this many runs of its schedule."""


class _CronRun(TypedDict):
    run_id: str
    """The id of the run."""
    task_id: Union[str, None]
    """The task of the run; null while the run waits, and when there is none."""
    scheduled_at: str
    """The time of the schedule."""
    started_at: Union[str, None]
    """When the task was created."""
    ended_at: Union[str, None]
    """When the end of the task was stored."""
    status: Literal["queued", "running", "completed", "failed", "skipped"]
    """`queued`, `running`, `completed`, `failed` or `skipped`."""


class CronRun(_CronRun, total=False):
    """A run of a cron job, or the record of times that were skipped."""

    skipped_reason: str
    """`overlap`, `missed`, `queue_full`, or `deleted`: the job was deleted while the run waited."""
    skipped_until: str
    """The record is for all times from `scheduled_at` to this one."""
    skipped_count: int
    """The number of times that the record stands for. 1000 means 1000 or more."""
    reason: str
    """Why the run failed: `failed`, `canceled` or `expired` if its task ended so; `invalid_task`, `quota` or `secret_missing` if no task was created."""
    error: str
    """A text that says what went wrong."""
    manual: Literal[True]
    """A caller asked for the run."""


class DeletedCronJob(TypedDict):
    """A cron job that is deleted."""

    status: Literal["deleted"]
    """Always `deleted`."""
    job_id: str
    """The id of the job."""
    message: str
    """The same in words."""


TaskFrame = Union["TaskCreatedFrame", "TaskQueuedFrame", "TaskWorkingFrame", "TaskInputRequiredFrame", "TaskPausedFrame", "TaskCompletedFrame", "TaskCanceledFrame", "TaskExpiredFrame", "TaskFailedFrame", "TaskOutputItemAddedFrame", "TaskOutputItemDoneFrame", "TaskContentPartAddedFrame", "TaskContentPartDoneFrame", "TaskTextDeltaFrame", "TaskTextDoneFrame", "TaskReasoningTextDeltaFrame", "TaskReasoningTextDoneFrame", "TaskReasoningSummaryPartAddedFrame", "TaskReasoningSummaryPartDoneFrame", "TaskReasoningSummaryTextDeltaFrame", "TaskReasoningSummaryTextDoneFrame", "TaskToolCallArgumentsDeltaFrame", "TaskToolCallArgumentsDoneFrame", "TaskToolResultDeltaFrame", "TaskToolResultDoneFrame", "TaskToolsUpdatedFrame", "TaskContextCompressionCreatedFrame", "TaskContextCompressionInProgressFrame", "TaskContextCompressionCompletedFrame", "Rollout"]
"""One frame of a task’s stream. Later versions may send further kinds of frames: ignore unknown kinds."""


class TaskCreatedFrame(TypedDict):
    """The task was accepted."""

    type: Literal["task.created"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    timestamp: str
    """When the event of this frame happened."""
    task: "Task"
    """The task object as of this frame."""


class TaskQueuedFrame(TypedDict):
    """The task waits for its turn."""

    type: Literal["task.queued"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    timestamp: str
    """When the event of this frame happened."""


class TaskWorkingFrame(TypedDict):
    """The task works. This frame is also sent after the task was answered or resumed."""

    type: Literal["task.working"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    timestamp: str
    """When the event of this frame happened."""


class TaskInputRequiredFrame(TypedDict):
    """The task waits for results of client tools. This frame ends the stream of `createTask`."""

    type: Literal["task.input_required"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    timestamp: str
    """When the event of this frame happened."""
    task: "Task"
    """The task object as of this frame."""
    input_required: "PendingCallItem"
    """The oldest call that waits for the client."""


class TaskPausedFrame(TypedDict):
    """The task is paused. This frame ends the stream of `createTask`."""

    type: Literal["task.paused"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    timestamp: str
    """When the event of this frame happened."""
    task: "Task"
    """The task object as of this frame."""


class TaskCompletedFrame(TypedDict):
    """The task is completed. This is its last frame."""

    type: Literal["task.completed"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    timestamp: str
    """When the event of this frame happened."""
    task: "Task"
    """The task object as of this frame."""


class TaskCanceledFrame(TypedDict):
    """The task was canceled. This is its last frame."""

    type: Literal["task.canceled"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    timestamp: str
    """When the event of this frame happened."""
    task: "Task"
    """The task object as of this frame."""


class TaskExpiredFrame(TypedDict):
    """The time of the task ran out. This is its last frame."""

    type: Literal["task.expired"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    timestamp: str
    """When the event of this frame happened."""
    task: "Task"
    """The task object as of this frame."""


class TaskFailedFrame(TypedDict):
    """The task failed. This is its last frame."""

    type: Literal["task.failed"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    timestamp: str
    """When the event of this frame happened."""
    task: "Task"
    """The task object as of this frame."""
    error: "ErrorObject"
    """Why the task failed."""


class TaskOutputItemAddedFrame(TypedDict):
    """An item begins. Its text is still empty."""

    type: Literal["task.output_item.added"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    agent_step: int
    """The number of the agent step, from 1."""
    item: "OutputItem"
    """The item as of this frame."""


class TaskOutputItemDoneFrame(TypedDict):
    """An item is finished. Its status is `incomplete` if it was cut off."""

    type: Literal["task.output_item.done"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    agent_step: int
    """The number of the agent step, from 1."""
    item: "OutputItem"
    """The item as of this frame."""


class TaskContentPartAddedFrame(TypedDict):
    """A part of a message, or of a thought, begins."""

    type: Literal["task.content_part.added"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    agent_step: int
    """The number of the agent step, from 1."""
    content_index: int
    """The number of the part in the item, from 0."""
    part: "TextContentItem"
    """The part as of this frame."""


class TaskContentPartDoneFrame(TypedDict):
    """A part is finished."""

    type: Literal["task.content_part.done"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    agent_step: int
    """The number of the agent step, from 1."""
    content_index: int
    """The number of the part in the item, from 0."""
    part: "TextContentItem"
    """The part as of this frame."""


class TaskTextDeltaFrame(TypedDict):
    """More text of a message."""

    type: Literal["task.text.delta"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    agent_step: int
    """The number of the agent step, from 1."""
    content_index: int
    """The number of the part in the item, from 0."""
    delta: str
    """The new text. Append it to the text so far."""


class TaskTextDoneFrame(TypedDict):
    """The whole text of a part."""

    type: Literal["task.text.done"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    agent_step: int
    """The number of the agent step, from 1."""
    content_index: int
    """The number of the part in the item, from 0."""
    text: str
    """The whole text of the part."""


class TaskReasoningTextDeltaFrame(TypedDict):
    """More text of a thought."""

    type: Literal["task.reasoning_text.delta"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    agent_step: int
    """The number of the agent step, from 1."""
    content_index: int
    """The number of the part in the item, from 0."""
    delta: str
    """The new text. Append it to the text so far."""


class TaskReasoningTextDoneFrame(TypedDict):
    """The whole text of the thought."""

    type: Literal["task.reasoning_text.done"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    agent_step: int
    """The number of the agent step, from 1."""
    content_index: int
    """The number of the part in the item, from 0."""
    text: str
    """The whole text of the part."""


class TaskReasoningSummaryPartAddedFrame(TypedDict):
    """A part of a summary of thoughts begins."""

    type: Literal["task.reasoning_summary_part.added"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    agent_step: int
    """The number of the agent step, from 1."""
    content_index: int
    """The number of the part in the item, from 0."""
    part: "TextContentItem"
    """The part as of this frame."""


class TaskReasoningSummaryPartDoneFrame(TypedDict):
    """A part of a summary of thoughts is finished."""

    type: Literal["task.reasoning_summary_part.done"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    agent_step: int
    """The number of the agent step, from 1."""
    content_index: int
    """The number of the part in the item, from 0."""
    part: "TextContentItem"
    """The part as of this frame."""


class TaskReasoningSummaryTextDeltaFrame(TypedDict):
    """More text of a summary of thoughts."""

    type: Literal["task.reasoning_summary_text.delta"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    agent_step: int
    """The number of the agent step, from 1."""
    content_index: int
    """The number of the part in the item, from 0."""
    delta: str
    """The new text. Append it to the text so far."""


class TaskReasoningSummaryTextDoneFrame(TypedDict):
    """The whole text of the summary."""

    type: Literal["task.reasoning_summary_text.done"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    agent_step: int
    """The number of the agent step, from 1."""
    content_index: int
    """The number of the part in the item, from 0."""
    text: str
    """The whole text of the part."""


class TaskToolCallArgumentsDeltaFrame(TypedDict):
    """More text of the arguments of a call."""

    type: Literal["task.tool_call_arguments.delta"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    call_id: str
    """The id of the call."""
    agent_step: int
    """The number of the agent step, from 1."""
    delta: str
    """The new text. Append it to the text so far."""


class TaskToolCallArgumentsDoneFrame(TypedDict):
    """The whole arguments of a call."""

    type: Literal["task.tool_call_arguments.done"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    call_id: str
    """The id of the call."""
    agent_step: int
    """The number of the agent step, from 1."""
    arguments: str
    """The arguments as JSON text."""


class TaskToolResultDeltaFrame(TypedDict):
    """More of the result of a call, which streams its output while it runs."""

    type: Literal["task.tool_result.delta"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    call_id: str
    """The id of the call."""
    agent_step: int
    """The number of the agent step, from 1."""
    delta_message_content: "MessageContent"
    """New content of the result. Append it to the content so far."""
    delta_block_list: List["Block"]
    """New blocks of the result. Append them to the blocks so far."""


class TaskToolResultDoneFrame(TypedDict):
    """The whole result of a call, from a tool of the server or from the client. If there were deltas, the result is their sum."""

    type: Literal["task.tool_result.done"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    item_id: str
    """The id of the item."""
    call_id: str
    """The id of the call."""
    agent_step: int
    """The number of the agent step, from 1."""
    message_content: "MessageContent"
    """The result as the agent sees it."""
    block_list: List["Block"]
    """Blocks to render."""


class TaskToolsUpdatedFrame(TypedDict):
    """From now on the agent is offered the tools of this list."""

    type: Literal["task.tools_updated"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    tools: List["ToolDefinition"]
    """Every tool that is offered."""


class TaskContextCompressionCreatedFrame(TypedDict):
    """The conversation has become too long for the model."""

    type: Literal["task.context_compression.created"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    agent_step: int
    """The number of the agent step, from 1."""
    compression_id: str
    """The id of the summary."""


class TaskContextCompressionInProgressFrame(TypedDict):
    """The model summarizes the older part of the conversation."""

    type: Literal["task.context_compression.in_progress"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    agent_step: int
    """The number of the agent step, from 1."""
    compression_id: str
    """The id of the summary."""


class TaskContextCompressionCompletedFrame(TypedDict):
    """The summary has replaced the older part of the conversation."""

    type: Literal["task.context_compression.completed"]
    """The type of the frame. The `event` of the server-sent event is the same."""
    sequence_number: int
    """The number of the frame: frames of a task are counted from 0, without holes."""
    task_id: str
    """The id of the task."""
    agent_step: int
    """The number of the agent step, from 1."""
    compression_id: str
    """The id of the summary."""
    usage: "Usage"
    """The tokens that the model used to make the summary."""


PublicEvent = Union["TaskCreatedEvent", "TaskUpdatedEvent", "TaskDeletedEvent", "TaskStatusChangedEvent", "AgentSpawnedEvent", "AgentCompletedEvent", "AgentErrorEvent", "GroupChatMessageEvent", "GroupChatAgentThinkingEvent", "GroupChatAgentResponseEvent", "CronJobTriggeredEvent", "CronJobCompletedEvent", "CronJobFailedEvent", "EnvSessionCreatedEvent", "EnvStepCompletedEvent", "EnvSessionResetEvent", "EnvSessionClosedEvent", "EnvSessionDeletedEvent", "WebhookDisabledEvent"]
"""One event of `/api/events`. Later versions may send further kinds of events: ignore unknown kinds."""


class TaskCreatedEventForkedFrom(TypedDict):
    """In a fork: the task from which it comes, and the frame `at` which its past ends."""

    task_id: str
    at: int


class _TaskCreatedEvent(TypedDict):
    type: Literal["TaskCreated"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    task_id: str
    """The id of the task."""
    title: str
    """The first 80 characters of the user’s message."""
    session_id: str
    """The id of the chat session of the task, or of the environment session."""
    user_id: str
    """The user who owns the task or the environment session."""
    status: "TaskStatus"
    """The status of the task."""


class TaskCreatedEvent(_TaskCreatedEvent, total=False):
    """A task was accepted."""

    forked_from: "TaskCreatedEventForkedFrom"
    """In a fork: the task from which it comes, and the frame `at` which its past ends."""


class TaskUpdatedEvent(TypedDict):
    """A task has a new finished item, or a client answered one of its calls."""

    type: Literal["TaskUpdated"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    task_id: str
    """The id of the task."""
    session_id: str
    """The id of the chat session of the task, or of the environment session."""
    sequence_number: int
    """The number of the last frame that the event gave in the task’s stream."""
    changed: List[str]
    """The fields of the task object whose values changed."""


class TaskDeletedEvent(TypedDict):
    """A task was deleted."""

    type: Literal["TaskDeleted"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    task_id: str
    """The id of the task."""
    session_id: str
    """The id of the chat session of the task, or of the environment session."""


class TaskStatusChangedEventPendingInputsEntryMetadata(TypedDict, total=False):
    approval: Literal[True]
    schema: Dict[str, Any]
    asked_by: str
    url: str


class _TaskStatusChangedEventPendingInputsEntry(TypedDict):
    call_id: str
    name: str


class TaskStatusChangedEventPendingInputsEntry(_TaskStatusChangedEventPendingInputsEntry, total=False):
    arguments: str
    metadata: "TaskStatusChangedEventPendingInputsEntryMetadata"


class _TaskStatusChangedEvent(TypedDict):
    type: Literal["TaskStatusChanged"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    task_id: str
    """The id of the task."""
    session_id: str
    """The id of the chat session of the task, or of the environment session."""
    old_status: "TaskStatus"
    """The status of the task before."""
    new_status: "TaskStatus"
    """The status of the task now."""


class TaskStatusChangedEvent(_TaskStatusChangedEvent, total=False):
    """The status of a task changed."""

    reason: str
    """The reason, if one was given."""
    pending_inputs: List["TaskStatusChangedEventPendingInputsEntry"]
    """Only with the new status `input-required`: the calls that wait for the client, oldest first, at most 16. `arguments` is JSON text, and absent if it is longer than 4,096 characters."""


class _AgentSpawnedEvent(TypedDict):
    type: Literal["AgentSpawned"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    agent_id: str
    """The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat."""
    session_id: str
    """The id of the chat session of the task, or of the environment session."""
    workdir: str
    """The folder in which the agent’s file tools work."""
    task_id: str
    """The id of the task."""


class AgentSpawnedEvent(_AgentSpawnedEvent, total=False):
    """The agent of a task begins, just before the task works for the first time."""

    parent_agent_id: str
    """The id of the agent that called this subagent."""


class AgentCompletedEvent(TypedDict):
    """The agent of a task ended. `success` is false if the task was canceled or expired."""

    type: Literal["AgentCompleted"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    agent_id: str
    """The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat."""
    session_id: str
    """The id of the chat session of the task, or of the environment session."""
    task_id: str
    """The id of the task."""
    success: bool
    """Whether the task completed."""


class _AgentErrorEvent(TypedDict):
    type: Literal["AgentError"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    agent_id: str
    """The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat."""
    session_id: str
    """The id of the chat session of the task, or of the environment session."""
    task_id: str
    """The id of the task."""
    error: str
    """A text that says what went wrong."""


class AgentErrorEvent(_AgentErrorEvent, total=False):
    """The agent of a task failed."""

    code: int
    """The code of the task’s error."""


class GroupChatMessageEvent(TypedDict):
    """A speaker or the user said something in a group chat."""

    type: Literal["GroupChatMessage"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    group_chat_id: str
    """The id of the group chat, which is the id of its task."""
    agent_id: str
    """The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat."""
    name: str
    """The name of the speaker; `user` for the user. In events of cron jobs: the name of the job."""
    round: int
    """The number of the round, from 1."""
    message_id: str
    """The id of the message: an item of the chat’s output."""
    role: Literal["assistant", "user"]
    """The role of the message."""
    content: "MessageContent"
    """What was said."""


class GroupChatAgentThinkingEvent(TypedDict):
    """The turn of a speaker, or of the moderator, begins in a group chat."""

    type: Literal["GroupChatAgentThinking"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    group_chat_id: str
    """The id of the group chat, which is the id of its task."""
    agent_id: str
    """The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat."""
    name: str
    """The name of the speaker; `user` for the user. In events of cron jobs: the name of the job."""
    round: int
    """The number of the round, from 1."""


class GroupChatAgentResponseEvent(TypedDict):
    """The turn of a speaker, or of the moderator, has ended. A GroupChatMessage follows if the content is said in the chat."""

    type: Literal["GroupChatAgentResponse"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    group_chat_id: str
    """The id of the group chat, which is the id of its task."""
    agent_id: str
    """The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat."""
    name: str
    """The name of the speaker; `user` for the user. In events of cron jobs: the name of the job."""
    round: int
    """The number of the round, from 1."""
    task_id: str
    """The id of the task."""
    content: str
    """What was said."""
    usage: Dict[str, Any]
    """The tokens that the turn used; empty if none were counted."""


class CronJobTriggeredEvent(TypedDict):
    """A run of a cron job began: its task was created."""

    type: Literal["CronJobTriggered"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    job_id: str
    """The id of the cron job."""
    name: str
    """The name of the speaker; `user` for the user. In events of cron jobs: the name of the job."""
    run_id: str
    """The id of the run."""
    task_id: str
    """The id of the task."""
    scheduled_at: str
    """The time of the schedule for which the run began."""


class CronJobCompletedEvent(TypedDict):
    """The task of a run completed."""

    type: Literal["CronJobCompleted"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    job_id: str
    """The id of the cron job."""
    name: str
    """The name of the speaker; `user` for the user. In events of cron jobs: the name of the job."""
    run_id: str
    """The id of the run."""
    task_id: str
    """The id of the task."""
    scheduled_at: str
    """The time of the schedule for which the run began."""
    duration_ms: int
    """Milliseconds from the creation of the task to its end."""


class _CronJobFailedEvent(TypedDict):
    type: Literal["CronJobFailed"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    job_id: str
    """The id of the cron job."""
    name: str
    """The name of the speaker; `user` for the user. In events of cron jobs: the name of the job."""
    run_id: str
    """The id of the run."""
    scheduled_at: str
    """The time of the schedule for which the run began."""
    duration_ms: int
    """Milliseconds from the creation of the task to its end."""
    error: str
    """A text that says what went wrong."""
    reason: str
    """The reason, if one was given."""


class CronJobFailedEvent(_CronJobFailedEvent, total=False):
    """The task of a run failed, was canceled or expired, or the server refused to create it. `reason` is `failed`, `canceled`, `expired` or the reason of the refusal."""

    task_id: str
    """The id of the task."""


class EnvSessionCreatedEvent(TypedDict):
    """An environment session begins with a new instance. A closed session may begin again."""

    type: Literal["EnvSessionCreated"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    session_id: str
    """The id of the chat session of the task, or of the environment session."""
    env_id: str
    """The `env_id` of the session."""
    user_id: str
    """The user who owns the task or the environment session."""


class _EnvStepCompletedEvent(TypedDict):
    type: Literal["EnvStepCompleted"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    session_id: str
    """The id of the chat session of the task, or of the environment session."""
    step: int
    """The number of the step."""
    tool_name: str
    """The tool that was called."""
    reward: float
    """The reward of this step."""
    done: bool
    """Whether the episode is over."""


class EnvStepCompletedEvent(_EnvStepCompletedEvent, total=False):
    """A step of an environment session was taken."""

    task_id: str
    """The id of the task."""


class EnvSessionResetEvent(TypedDict):
    """An environment session was reset."""

    type: Literal["EnvSessionReset"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    session_id: str
    """The id of the chat session of the task, or of the environment session."""
    seed: int
    """The seed of the reset."""


class EnvSessionClosedEvent(TypedDict):
    """An environment session was closed by a client or by the server."""

    type: Literal["EnvSessionClosed"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    session_id: str
    """The id of the chat session of the task, or of the environment session."""
    reason: str
    """The reason, if one was given."""


class EnvSessionDeletedEvent(TypedDict):
    """An environment session was deleted."""

    type: Literal["EnvSessionDeleted"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    session_id: str
    """The id of the chat session of the task, or of the environment session."""


class WebhookDisabledEvent(TypedDict):
    """The server disabled a webhook whose deliveries fail."""

    type: Literal["WebhookDisabled"]
    """The type of the event. The `event` of the server-sent event is the same."""
    timestamp: str
    """When the event happened."""
    webhook_id: str
    """The id of the webhook."""
    reason: str
    """The reason, if one was given."""


Gap = TypedDict(
    "Gap",
    {
        "type": "Literal['Gap']",
        "timestamp": "str",
        "from": "int",
        "to": "int",
        "reason": "Literal['erased']",
        "task_id": "str",
        "session_id": "str",
    },
    total=False,
)


class _TaskWebhook(TypedDict):
    url: str
    """Where events are sent: an http or https URL that leads to a public address."""


class TaskWebhook(_TaskWebhook, total=False):
    """A webhook for the events of one task."""

    types: Union[List[Literal["TaskCreated", "TaskUpdated", "TaskDeleted", "TaskStatusChanged", "AgentSpawned", "AgentCompleted", "AgentError", "GroupChatMessage", "GroupChatAgentThinking", "GroupChatAgentResponse", "CronJobTriggered", "CronJobCompleted", "CronJobFailed", "EnvSessionCreated", "EnvStepCompleted", "EnvSessionReset", "EnvSessionClosed", "EnvSessionDeleted", "WebhookDisabled", "response.completed", "response.failed", "response.incomplete", "response.cancelled"]], None]
    """The types of events that are sent; null or absent: all types except those that `/api/events` sends only if `types` names them. A webhook with `response.…` sends what OpenAI’s webhooks send, and nothing else."""
    secret: Union[str, None]
    """The signing secret: `whsec_` and the base64 of 24 to 64 bytes. Absent: requests are not signed."""


class _CreateWebhookBody(TypedDict):
    url: str
    """Where events are sent: an http or https URL that leads to a public address."""


class CreateWebhookBody(_CreateWebhookBody, total=False):
    """A webhook to make."""

    secret: Union[str, None]
    """The signing secret: `whsec_` and the base64 of 24 to 64 bytes. Absent: the server makes one."""
    types: Union[List[Literal["TaskCreated", "TaskUpdated", "TaskDeleted", "TaskStatusChanged", "AgentSpawned", "AgentCompleted", "AgentError", "GroupChatMessage", "GroupChatAgentThinking", "GroupChatAgentResponse", "CronJobTriggered", "CronJobCompleted", "CronJobFailed", "EnvSessionCreated", "EnvStepCompleted", "EnvSessionReset", "EnvSessionClosed", "EnvSessionDeleted", "WebhookDisabled", "response.completed", "response.failed", "response.incomplete", "response.cancelled"]], None]
    """The types of events that are sent; null or absent: all types except those that `/api/events` sends only if `types` names them. A webhook with `response.…` sends what OpenAI’s webhooks send, and nothing else."""
    session_id: Union[str, None]
    """Only events of this session."""
    task_id: Union[str, None]
    """Only events of this task."""
    headers: Union[Dict[str, Any], None]
    """Headers of each request. Answers show `***` in place of each value."""
    enabled: Union[bool, None]
    """Whether events are sent."""


class ChangeWebhookBody(TypedDict, total=False):
    """Changes of a webhook. An absent field stays as it is."""

    url: Union[str, None]
    """Where events are sent: an http or https URL that leads to a public address."""
    types: Union[List[Literal["TaskCreated", "TaskUpdated", "TaskDeleted", "TaskStatusChanged", "AgentSpawned", "AgentCompleted", "AgentError", "GroupChatMessage", "GroupChatAgentThinking", "GroupChatAgentResponse", "CronJobTriggered", "CronJobCompleted", "CronJobFailed", "EnvSessionCreated", "EnvStepCompleted", "EnvSessionReset", "EnvSessionClosed", "EnvSessionDeleted", "WebhookDisabled", "response.completed", "response.failed", "response.incomplete", "response.cancelled"]], None]
    """The types of events that are sent; null or absent: all types except those that `/api/events` sends only if `types` names them. A webhook with `response.…` sends what OpenAI’s webhooks send, and nothing else."""
    session_id: Union[str, None]
    """Only events of this session."""
    task_id: Union[str, None]
    """Only events of this task."""
    headers: Union[Dict[str, Any], None]
    """Headers of each request. Answers show `***` in place of each value."""
    enabled: Union[bool, None]
    """Whether events are sent."""


class RotateSecretBody(TypedDict, total=False):
    """The new secret."""

    secret: Union[str, None]
    """The signing secret: `whsec_` and the base64 of 24 to 64 bytes. Absent: the server makes one."""


class _WebhookFailing(TypedDict):
    event_id: str
    type: str
    attempts: int
    next_attempt_at: str
    error: str


class WebhookFailing(_WebhookFailing, total=False):
    status: int


class Webhook(TypedDict):
    """A webhook."""

    id: str
    """The id of the webhook."""
    url: str
    """Where events are sent: an http or https URL that leads to a public address."""
    types: Union[List[str], None]
    """The types of events that are sent; null or absent: all types except those that `/api/events` sends only if `types` names them. A webhook with `response.…` sends what OpenAI’s webhooks send, and nothing else."""
    session_id: Union[str, None]
    """Only events of this session."""
    task_id: Union[str, None]
    """Only events of this task."""
    headers: Dict[str, Any]
    """Headers of each request. Answers show `***` in place of each value."""
    enabled: bool
    """Whether events are sent."""
    status: Literal["active", "stopped", "disabled", "ended"]
    """`active`; `stopped`: the maker has no token any more; `disabled`; `ended`: the task of the webhook has ended, and its events were sent."""
    disabled_reason: Union[str, None]
    """Why it is disabled: `requested`; `gone`: the receiver answered 410; `failing`: nothing succeeded for 5 days; `secret_missing`: the secret is not on this server, so rotate it. Null: it is enabled."""
    signed: bool
    """Whether requests are signed. Only the webhook of a task may have no secret."""
    user_id: Union[str, None]
    """The user whose events are sent; null: the events of all users."""
    of_task: bool
    """Whether the request that created a task asked for this webhook."""
    created_at: int
    """When the webhook was made, in Unix seconds."""
    position: int
    """Every event up to this position was delivered or skipped, or is not for this webhook."""
    delivered: int
    """The number of delivered events."""
    failing: Union["WebhookFailing", None]
    """The event whose delivery fails at the moment, with the last error and the time of the next try."""


class _WebhookWithSecretFailing(TypedDict):
    event_id: str
    type: str
    attempts: int
    next_attempt_at: str
    error: str


class WebhookWithSecretFailing(_WebhookWithSecretFailing, total=False):
    status: int


class WebhookWithSecret(TypedDict):
    """A webhook with its secret, which is shown this once."""

    id: str
    """The id of the webhook."""
    url: str
    """Where events are sent: an http or https URL that leads to a public address."""
    types: Union[List[str], None]
    """The types of events that are sent; null or absent: all types except those that `/api/events` sends only if `types` names them. A webhook with `response.…` sends what OpenAI’s webhooks send, and nothing else."""
    session_id: Union[str, None]
    """Only events of this session."""
    task_id: Union[str, None]
    """Only events of this task."""
    headers: Dict[str, Any]
    """Headers of each request. Answers show `***` in place of each value."""
    enabled: bool
    """Whether events are sent."""
    status: Literal["active", "stopped", "disabled", "ended"]
    """`active`; `stopped`: the maker has no token any more; `disabled`; `ended`: the task of the webhook has ended, and its events were sent."""
    disabled_reason: Union[str, None]
    """Why it is disabled: `requested`; `gone`: the receiver answered 410; `failing`: nothing succeeded for 5 days; `secret_missing`: the secret is not on this server, so rotate it. Null: it is enabled."""
    signed: bool
    """Whether requests are signed. Only the webhook of a task may have no secret."""
    user_id: Union[str, None]
    """The user whose events are sent; null: the events of all users."""
    of_task: bool
    """Whether the request that created a task asked for this webhook."""
    created_at: int
    """When the webhook was made, in Unix seconds."""
    position: int
    """Every event up to this position was delivered or skipped, or is not for this webhook."""
    delivered: int
    """The number of delivered events."""
    failing: Union["WebhookWithSecretFailing", None]
    """The event whose delivery fails at the moment, with the last error and the time of the next try."""
    secret: str
    """The signing secret: `whsec_` and the base64 of 24 to 64 bytes."""


class DeletedWebhook(TypedDict):
    """A webhook that sends nothing any more."""

    status: Literal["deleted"]
    """Always `deleted`."""
    id: str
    """The id of the webhook."""
    message: str
    """The same in words."""


class WebhookDelivery(TypedDict):
    """The delivery of one event."""

    id: str
    """The id of the event: its position, the `id:` of `/api/events`, and the header `webhook-id`."""
    type: str
    """The type of the event."""
    outcome: Literal["delivered", "failed", "skipped"]
    """`delivered`; `failed`: the event may be tried again; `skipped`: it is not tried again."""
    attempts: int
    """The number of tries so far."""
    at: str
    """When the last try ended."""
    duration_ms: int
    """How long the try took, in milliseconds."""
    status: Union[int, None]
    """The HTTP status of the answer; null: there was none."""
    error: Union[str, None]
    """Why the try failed; null: it succeeded."""
    next_attempt_at: Union[str, None]
    """When the next try begins; null: there is none."""
    tries: List["DeliveryTry"]
    """The newest 50 tries, oldest first."""


class DeliveryTry(TypedDict):
    """A request for a delivery."""

    at: str
    """When the try ended."""
    duration_ms: int
    """How long the try took, in milliseconds."""
    status: Union[int, None]
    """The HTTP status of the answer; null: there was none."""
    error: Union[str, None]
    """Why the try failed; null: it succeeded."""
    by: Union[str, None]
    """The id of the token that asked for it (`redeliver`); null: the server tried by itself."""


class WebhookTry(TypedDict):
    """The outcome of a request that the caller asked for."""

    event_id: str
    """The `webhook-id` of the request."""
    type: str
    """The type of the event."""
    delivered: bool
    """Whether the receiver answered with 2xx."""
    status: Union[int, None]
    """The HTTP status of the answer; null: there was none."""
    error: Union[str, None]
    """Why the try failed; null: it succeeded."""
    duration_ms: int
    """How long the try took, in milliseconds."""


class RolloutEnvStepsEntryAction(TypedDict):
    tool_name: str
    tool_args: Dict[str, Any]


class RolloutEnvStepsEntry(TypedDict):
    session_id: str
    env_id: str
    step: int
    call_id: str
    state_before: Dict[str, Any]
    action: "RolloutEnvStepsEntryAction"
    observation: Dict[str, Any]
    state: Dict[str, Any]
    reward: float
    terminated: bool
    truncated: bool
    done: bool


class _Rollout(TypedDict):
    type: Literal["task.rollout"]
    """Always `task.rollout`."""
    sequence_number: int
    """The number of the frame that was next when the step completed."""
    position: int
    """The position in the log of the event that completed the step."""
    session_id: str
    """The id of the chat session."""
    task_id: str
    """The id of the task."""
    trace_id: str
    """The id of the first task in the tree of subagents."""
    request_id: str
    """The id of the request that created the task."""
    rollout_id: str
    """The id of this entry."""
    parent_rollout_id: Union[str, None]
    """In the entry of a subagent: the id of the entry of the step that called the subagent; null if the code of an agent has called it."""
    fork_of: Union[str, None]
    """In the past of a fork: the step of which this one is a copy; else null."""
    effect_id: str
    """The id of the step, or of the call of a model, in the events of the log."""
    turn: int
    """The number of the user’s messages that the task has seen, from 1."""
    step: int
    """The number of the agent step, from 1. For a call of a model by code of a user: the number of the call among all that the code has asked for."""
    is_answer: bool
    """Whether the step gave the agent’s answer."""
    is_compress: bool
    """Whether the step made a summary of a context that was too long."""
    inference_args: Dict[str, Any]
    """The arguments that the request passed on to the endpoint."""
    tools: List[Any]
    """The tools that were offered."""
    request: Dict[str, Any]
    """The fields that were sent to the model besides messages and tools. The body was `{...request, messages: input_messages, tools}`, without `tools` if there were none, and with the name in `messages_field`, if it is there, in place of `messages`. In a step without a model, `request` names the agent."""
    usage: Union[Dict[str, Any], None]
    """The tokens that this step used."""
    reward: Union[float, None]
    """The newest reward of the task. Only the last entry has this field."""
    input_messages: List[Any]
    """The input of the step."""
    output_messages: List[Any]
    """The output of the step."""


class Rollout(_Rollout, total=False):
    """The input and the output of one completed agent step. With `return_rollout` it is also a frame of the task’s stream. In a step with a model, the messages are those of the model call, in the form of chat completions; in other steps they are output items."""

    request_digest: str
    """base64url(SHA-256) of the body that was sent to the model."""
    response_id: str
    """The id that the endpoint gave to its answer."""
    model: str
    """The model that answered."""
    system_fingerprint: str
    """The field of this name in the endpoint’s answer."""
    finish_reason: str
    """The field of this name in the endpoint’s answer."""
    provider_call_ids: Dict[str, Any]
    """The id that the endpoint gave to each call, by the `call_id` of the call."""
    prompt_token_ids: List[int]
    """The token ids of the prompt, if the endpoint gave them."""
    completion_token_ids: List[int]
    """The token ids of the answer, if the endpoint gave them."""
    logprobs: List["Logprob"]
    """The probabilities of the answer’s tokens, if the endpoint gave them."""
    messages_field: str
    """The field of the body that had the messages, if it was not `messages`: `input` of Responses."""
    env_steps: List["RolloutEnvStepsEntry"]
    """The calls of the step that were steps of an environment session, each with the state before the step, the action, and the result."""


class DifferenceItemsEntry(TypedDict):
    left: Union["OutputItem", None]
    right: Union["OutputItem", None]
    same: bool


class DifferenceFactsEntry(TypedDict):
    left: Union["DiffFact", None]
    right: Union["DiffFact", None]
    same: bool


class Difference(TypedDict):
    """Where two tasks differ. `left` is the task of the path, `right` the other one."""

    first_divergence: Union[int, None]
    """The number of the first frame that differs; null if no frame differs."""
    items: List["DifferenceItemsEntry"]
    """The items of the output in pairs. `null`: this task has no such item."""
    facts: List["DifferenceFactsEntry"]
    """The stored events that differ, in pairs, the first 100 of them."""


class DiffFact(TypedDict):
    """A stored event."""

    revision: int
    """The number of the event in the stream of its task."""
    sequence_number: int
    """The number of the first frame that the event gave; else of the next frame."""
    type: str
    """The type of the event."""


class Ticket(TypedDict):
    """A ticket for a stream, or for a one-time link to the console."""

    ticket: str
    """For a stream: the value of `?ticket=` in its address. For a link: the part of `/ui#login=` after the equals sign."""
    expires_in: int
    """The number of seconds within which the ticket must be used."""


class _TaskBody(TypedDict):
    user_message_content: "MessageContent"
    """The message of the user. It may be empty if `history_messages` answers waiting calls."""


class TaskBody(_TaskBody, total=False):
    """What a task is to do. The client decides how the answer comes."""

    structured_output: Union[Dict[str, Any], None]
    """A JSON Schema (2020-12) of the answer. The last message must be JSON that fits the schema. With `stream: true` the field is ignored."""
    client_id: Union[str, None]
    """The caller. If this is the name of an agent, that agent runs; otherwise the default agent runs."""
    request_id: Union[str, None]
    """An id for the chain of requests, which the envelope contains. A retry must repeat it, like the rest of the body."""
    session_id: Union[str, None]
    """The chat session to continue. If it is absent, a new session begins."""
    task_id: Union[str, None]
    """The id of the task. If it is absent, the server makes one. A second request with the same id and the same body returns the first task. A request with the id of a waiting task answers that task."""
    user_id: Union[str, None]
    """The end user. A request whose token belongs to a user must name that user or none."""
    agent_config: Union["AgentConfig", None]
    """The agent and its settings."""
    allowed_tools: Union[List[str], None]
    """The tools of the server that the agent may call. Null allows all, an empty list none. Subagents and `client_tools` need not be named here."""
    disallowed_tools: Union[List[str], None]
    """The tools that the agent may not call: tools of the server, tools of the client, and subagents as `agent_<name>`."""
    allowed_subagents: Union[List[str], None]
    """The subagents that the agent may call. Null allows all, an empty list none. `allowed_tools` does not affect subagents."""
    stop_tools: Union[List[str], None]
    """The task completes after the agent has called one of these tools."""
    client_tools: Union[List["ToolDefinition"], None]
    """Tools that the client runs. When the agent calls one, the task waits for the client’s result."""
    history_messages: Union[List["OutputItem"], None]
    """The earlier messages of the conversation, which replace those of the session. Results (`tool_result`) for calls of a waiting task of the session answer that task. A list of only such results does not replace the messages of the session."""
    thought_messages: Union[List["OutputItem"], None]
    """Thoughts of the assistant that the agent sees and the user does not."""
    inference_args: Union[Dict[str, Any], None]
    """Arguments that the server passes on to the model’s endpoint."""
    workspace_dir: Union[str, None]
    """The folder in which file tools work, inside the own folder of the task’s user."""
    env: Union[Dict[str, Any], None]
    """Variables for everything that runs for the task: steps and shell commands of its environment session, `run_javascript` (as `env`), subagents, and MCP servers that list the variables in `env_from`. Their values are secrets, and the server shows them to nobody."""
    log_dir: Union[str, None]
    """A folder for the task’s log, inside the own folder of the task’s user. When the task has ended, the server writes the file `<task id>.jsonl` there: a line of JSON for each frame, with its time."""
    rollout_save_dir: Union[str, None]
    """A folder for the task’s rollouts, inside the own folder of the task’s user. When the task has ended, the server writes the rollouts to a file there."""
    return_rollout: Union[bool, None]
    """The task contains its rollouts once it has ended."""
    include_compress_model_rollout: Union[bool, None]
    """The rollouts contain the steps that made summaries of the context."""
    include_subagent_rollout: Union[bool, None]
    """The rollouts contain the steps of subagents."""
    metadata: Union[Dict[str, Any], None]
    """Keys of the caller, which the server stores and returns. Keys that only the service writes are refused."""
    webhook: Union["TaskWebhook", None]
    """A URL to which the server sends the events of this task."""
