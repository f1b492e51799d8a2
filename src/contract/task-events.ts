// The facts of a task: what its stream in the log holds. A fact tells enough to be understood alone; whole
// texts and whole tasks are never stored a second time. How many frames of the task's public stream a fact
// gives is known from the fact itself (src/history/frames.ts).
import Type, { type Static, type TProperties, type TSchema } from 'typebox'
import {
  Block,
  CreateTaskBody,
  ErrorObject,
  Logprob,
  MessageContent,
  MessageItem,
  ToolResultItem,
  taskStatuses,
} from './wire.ts'

const optional = Type.Optional
const From = Type.Enum([...taskStatuses])
const Usage = Type.Record(Type.String(), Type.Unknown())
/** Milliseconds since the epoch; absent: never. */
const Deadline = optional(Type.Integer())

const AgentStep = Type.Integer({ minimum: 1 })
const ItemId = Type.String()
const ItemKind = Type.Enum(['message', 'reasoning', 'tool_call'])
/** `arguments` is the one text of a tool call. */
const PartKind = Type.Enum(['output_text', 'refusal', 'summary_text', 'reasoning_text', 'arguments'])
export type ItemKind = Static<typeof ItemKind>
export type PartKind = Static<typeof PartKind>
export type TextItemKind = Exclude<ItemKind, 'tool_call'>
export type TextPartKind = Exclude<PartKind, 'arguments'>
/** `call`: it is a call, whose arguments are told as far as they came. */
const OpenItem = Type.Object({
  item_id: ItemId,
  parts: Type.Integer(),
  call: optional(Type.Literal(true)),
})
export type OpenItem = Static<typeof OpenItem>
const CallId = Type.String()
const NamedCall = Type.Object({ call_id: CallId, name: Type.String() })

/** How contexts and requests are put together: 1 is how it was done first, 2 is what docs/decisions/41 says. */
const Form = Type.Enum([1, 2])
export type Form = Static<typeof Form>

/**
 * What was asked of a model, as far as the history and the task's own request do not say it: the whole is put together
 * again by src/chat/request.ts. `form` names how; `digest` is base64url(SHA-256) of the bytes that were sent.
 */
const ModelRequest = Type.Object({
  form: Form,
  model: Type.String(),
  /** The schema of the answer was asked for in words: the endpoint knows no other way. */
  schema_in_words: optional(Type.Literal(true)),
  digest: Type.String(),
})
export type ModelRequest = Static<typeof ModelRequest>
const TokenIds = Type.Array(Type.Integer())
/** What the endpoint said of its answer. `call_ids` are its own names for the calls, in their order. */
const ModelResponse = Type.Object({
  id: optional(Type.String()),
  model: optional(Type.String()),
  system_fingerprint: optional(Type.String()),
  finish_reason: optional(Type.String()),
  call_ids: optional(Type.Array(Type.String())),
  /** The first `shared` ids of the call before, its prompt and its completion, then these. */
  prompt_token_ids: optional(Type.Object({ shared: Type.Integer({ minimum: 0 }), rest: TokenIds })),
  completion_token_ids: optional(TokenIds),
})
export type ModelResponse = Static<typeof ModelResponse>
/** `items` are no longer seen; the summary stands for them. */
const Compressed = Type.Object({
  compression_id: Type.String(),
  item_id: ItemId,
  summary: Type.String(),
  items: Type.Array(ItemId),
})
export type Compressed = Static<typeof Compressed>

const facts = {
  /** The accepted request: its body (secret values taken out), the ids given to its inputs, its idempotency. */
  TaskCreated: {
    task_id: Type.String(),
    session_id: Type.String(),
    user_id: Type.String(),
    agent: Type.String(),
    agent_id: Type.String(),
    workdir: Type.String(),
    request_id: Type.String(),
    request: CreateTaskBody,
    /** one id for each input, in order: history_messages, thought_messages, the user message */
    input_ids: Type.Array(Type.String()),
    digest: Type.String(),
    idempotency_key: optional(Type.String()),
    secret_ref: optional(Type.String()),
    ignored_fields: optional(Type.Array(Type.String())),
    previous_task_id: optional(Type.String()),
    /** Absent: 1, as in every log from before there was a second form. */
    form: optional(Type.Literal(2)),
    /** The request brings its own past: nothing of the session before it is in the context. */
    own_past: optional(Type.Literal(true)),
    /** Of a subagent's task: who called it, the task that all began with, and how far down from that it is. */
    parent_task_id: optional(Type.String()),
    parent_agent_id: optional(Type.String()),
    parent_agent_step: optional(AgentStep),
    root_task_id: optional(Type.String()),
    depth: optional(Type.Integer()),
    /** The task object names the agent in its metadata. Absent: the task was created before it did. */
    shows_agent: optional(Type.Literal(true)),
    expires_at: Deadline,
  },
  TaskQueued: { from: From, expires_at: Deadline },
  AgentSpawned: { agent_id: Type.String(), workdir: Type.String(), parent_agent_id: optional(Type.String()) },
  /** What the model sees first, as references: (stream, ids of its inputs and items), oldest first. */
  TaskStarted: {
    from: From,
    context: Type.Array(Type.Object({ stream: Type.String(), items: Type.Array(Type.String()) })),
    ttl_seconds: optional(Type.Integer()),
  },
  AgentStepStarted: { agent_step: AgentStep, effect_id: Type.String() },
  /** More text of a part. `item` is there when it opens the item, `first` when it opens the part. */
  ItemDelta: {
    agent_step: AgentStep,
    item_id: ItemId,
    content_index: Type.Integer(),
    item: optional(ItemKind),
    part: PartKind,
    first: optional(Type.Literal(true)),
    call: optional(NamedCall),
    delta: Type.String(),
    logprobs: optional(Type.Array(Logprob)),
  },
  /** `item` is there for a tool call, whose arguments are no part. `cut_off`: the model reached the limit of its length. */
  ItemCompleted: {
    agent_step: AgentStep,
    item_id: ItemId,
    parts: Type.Integer(),
    item: optional(ItemKind),
    cut_off: optional(Type.Literal(true)),
  },
  /** An item that was not streamed, whole; `texts` are its parts in order. `call` says which tool call it is. */
  ItemSaid: {
    agent_step: AgentStep,
    item_id: ItemId,
    item: ItemKind,
    part: PartKind,
    texts: Type.Array(Type.String()),
    call: optional(NamedCall),
  },
  /** The model is offered the tools of this stream from this step on; `changed`: it was offered others before. */
  ToolsOffered: {
    agent_step: AgentStep,
    stream: Type.String(),
    changed: optional(Type.Literal(true)),
  },
  /** The step asks for a summary of what is too long for the model. */
  CompressionStarted: { agent_step: AgentStep, compression_id: Type.String() },
  /**
   * `final`: it is the agent's answer, done when its calls are. `rollout`: its entry is a frame of the stream.
   * `request` and `response` are those of its model call; `compressed`, what the step that asked for a summary got.
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
  /** The step ended without completing; its items stay as far as they came, and the step runs again. */
  AgentStepAbandoned: {
    agent_step: AgentStep,
    effect_id: Type.String(),
    items: Type.Array(OpenItem),
    /** It ended by itself, by no crash or command. */
    broke_off: optional(Type.Literal(true)),
  },
  AgentCompleted: { agent_id: Type.String(), success: Type.Boolean() },
  AgentError: { agent_id: Type.String(), error: Type.String(), code: optional(Type.Integer()) },
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
  /** Every server-side call of the turn has its result; these calls wait for the client. */
  InputRequired: { from: From, calls: Type.Array(CallId), expires_at: Deadline },
  /** Somebody answered a call, or wrote to the agent; seen by it when consumed. */
  InputAccepted: {
    by: Type.String(),
    agent_step: optional(AgentStep),
    item: Type.Union([ToolResultItem, MessageItem]),
    digest: optional(Type.String()),
    idempotency_key: optional(Type.String()),
  },
  InputAnswered: { from: From, ttl_seconds: optional(Type.Integer()) },
  /** What the step that follows sees of the accepted inputs, in this order. */
  InputConsumed: { agent_step: AgentStep, items: Type.Array(ItemId) },
  PauseRequested: {},
  TaskPaused: { from: From, reason: Type.String(), expires_at: Deadline },
  TaskResumed: { from: From, ttl_seconds: optional(Type.Integer()) },
  CancelRequested: { reason: optional(Type.String()) },
  /** The receipt of a cancel: what ran, and whether it stopped within its deadline. */
  EffectStopped: { effect_id: Type.String(), stopped: Type.Boolean() },
  /** `continued_by`: the task that was created with the answers to this one's calls. */
  TaskCompleted: { from: From, continued_by: optional(Type.String()) },
  TaskFailed: { from: From, error: ErrorObject },
  TaskCanceled: { from: From, reason: optional(Type.String()) },
  TaskExpired: { from: From },
  TaskDeleted: { by: Type.String() },
  /** Somebody's judgement of the task, perhaps long after its end. */
  RewardGiven: {
    by: Type.String(),
    value: Type.Number(),
    name: optional(Type.String()),
    data: optional(Type.Unknown()),
  },
} satisfies Record<string, TProperties>

export type TaskEventType = keyof typeof facts
type Data = { [T in TaskEventType]: Static<Type.TObject<(typeof facts)[T]>> }
export type TaskEvent = { [T in TaskEventType]: { type: T; data: Data[T] } }[TaskEventType]
export type TaskEventData<T extends TaskEventType> = Data[T]

/** The schema of each fact's payload, by its type. */
export const taskEventSchemas: Record<TaskEventType, TSchema> = Object.fromEntries(
  Object.entries(facts).map(([type, data]) => [type, Type.Object(data)]),
) as unknown as Record<TaskEventType, TSchema>

/** The version in which each fact is written today; older ones are lifted when read (src/log/upcast.ts). */
export const taskEventVersion = 1

/** The facts after which a task needs nothing any more. */
export const taskEnds: ReadonlySet<string> = new Set<TaskEventType>([
  'TaskCompleted',
  'TaskFailed',
  'TaskCanceled',
  'TaskExpired',
])
