// The bodies of responses. The type of each body is defined only here. The objects that requests use, too, are in
// wire.ts.
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import { roles } from './events/token-events.ts'
import type { RefusalName } from './refusals.ts'
import { listOf } from './wire/list.ts'
import {
  AgentInfo,
  EnvironmentInfo,
  EnvSession,
  EnvStepAnswer,
  ErrorObject,
  Logprob,
  OutputItem,
  Task,
  ToolDefinition,
  taskStatuses,
  WorkerInfo,
} from './wire.ts'

/** The version of the interface: a header of every answer, and the version of its documents. */
export const apiVersion = '2.3.0'

const optional = Type.Optional
const Text = Type.String()
const Count = Type.Integer({ minimum: 0 })
const Open = Type.Record(Type.String(), Type.Unknown())
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const Jsonrpc = Type.Literal('2.0')
const { status: Status } = Task.properties

const envelopeOf = <T extends TSchema>(result: T) => Type.Object({ jsonrpc: Jsonrpc, id: Text, result })

export const TaskEnvelope = envelopeOf(Task)
/** A task in a list of summaries. */
const { output: _, ...taskFields } = Task.properties
export const TaskSummary = Type.Object({
  ...taskFields,
  question: Text,
  started_at: optional(Type.Integer()),
  ended_at: optional(Type.Integer()),
  duration_ms: optional(Count),
})
const ByStatus = Type.Record(Type.String(), Count)
export const TaskCounts = Type.Object({
  total: Count,
  by_status: ByStatus,
  by_agent: Type.Record(Type.String(), ByStatus),
})
export const TaskListEnvelope = envelopeOf(
  Type.Union([Type.Array(Task), Type.Array(TaskSummary), TaskCounts]),
)
export const ErrorEnvelope = Type.Object({ jsonrpc: Jsonrpc, id: Text, error: ErrorObject })

/** Refusals whose body repeats the message as `detail`. */
export const detailedRefusals: ReadonlySet<RefusalName> = new Set(['EnvNotFound', 'SessionNotFound'])
export const DetailedError = Type.Object({ ...ErrorObject.properties, detail: Text })

export const ValidationError = Type.Object({
  detail: Type.Array(
    Type.Object({ loc: Type.Array(Type.Union([Text, Type.Integer()])), msg: Text, type: Text }),
  ),
})

/** A call of a task that was a step of an environment session (src/history/env-steps.ts). */
const TakenEnvStep = Type.Object({
  session_id: Text,
  env_id: Text,
  step: Type.Integer({ minimum: 1 }),
  call_id: Text,
  state_before: Open,
  action: Type.Object({ tool_name: Text, tool_args: Open }),
  observation: Open,
  state: Open,
  reward: Type.Number(),
  terminated: Type.Boolean(),
  truncated: Type.Boolean(),
  done: Type.Boolean(),
})
const TokenIds = Type.Array(Type.Integer())
/** One completed agent step (src/history/rollouts.ts says what each field holds). */
export const RolloutEntry = Type.Object({
  type: Type.Literal('task.rollout'),
  sequence_number: Count,
  position: Type.Integer({ minimum: 1 }),
  session_id: Text,
  task_id: Text,
  trace_id: Text,
  request_id: Text,
  rollout_id: Text,
  parent_rollout_id: orNull(Text),
  fork_of: orNull(Text),
  effect_id: Text,
  turn: Type.Integer({ minimum: 1 }),
  step: Type.Integer({ minimum: 1 }),
  is_answer: Type.Boolean(),
  is_compress: Type.Boolean(),
  inference_args: Open,
  tools: Type.Array(Type.Unknown()),
  request: Open,
  usage: orNull(Open),
  reward: orNull(Type.Number()),
  request_digest: optional(Text),
  response_id: optional(Text),
  model: optional(Text),
  system_fingerprint: optional(Text),
  finish_reason: optional(Text),
  provider_call_ids: optional(Type.Record(Type.String(), Text)),
  prompt_token_ids: optional(TokenIds),
  completion_token_ids: optional(TokenIds),
  logprobs: optional(Type.Array(Logprob)),
  messages_field: optional(Text),
  env_steps: optional(Type.Array(TakenEnvStep)),
  input_messages: Type.Array(Type.Unknown()),
  output_messages: Type.Array(Type.Unknown()),
})
const deltaOf = <T extends TSchema>(element: T) =>
  Type.Object({ base: orNull(Text), keep: Count, append: Type.Array(element) })
const { input_messages: _messages, prompt_token_ids: _ids, ...sameFields } = RolloutEntry.properties
/** A rollout whose messages are the difference to an earlier one of the same answer (src/history/rollout-delta.ts). */
export const RolloutDelta = Type.Object({
  ...sameFields,
  input_messages_delta: deltaOf(Type.Unknown()),
  prompt_token_ids_delta: optional(deltaOf(Type.Integer())),
})
export const RolloutList = Type.Object({
  ...envelopeOf(Type.Union([Type.Array(RolloutEntry), Type.Array(RolloutDelta)])).properties,
  has_more: Type.Boolean(),
})

/** The fields of an ATIF document that this interface promises. The format itself defines the full schema. */
export const Trajectory = Type.Object(
  {
    schema_version: Type.Literal('ATIF-v1.7'),
    session_id: Text,
    trajectory_id: Text,
    agent: Open,
    steps: Type.Array(Open),
    final_metrics: Open,
    subagent_trajectories: optional(Type.Array(Open)),
  },
  { additionalProperties: true },
)

/** A stored event, as a comparison names it. */
export const DiffFact = Type.Object({
  revision: Type.Integer({ minimum: 0 }),
  sequence_number: Type.Integer({ minimum: 0 }),
  type: Type.String(),
})
export type DiffFact = Static<typeof DiffFact>
const orNone = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const pairs = <T extends TSchema>(schema: T) =>
  Type.Array(Type.Object({ left: orNone(schema), right: orNone(schema), same: Type.Boolean() }))
export const Difference = Type.Object({
  first_divergence: orNone(Type.Integer({ minimum: 0 })),
  items: pairs(OutputItem),
  facts: pairs(DiffFact),
})
export type Difference = Static<typeof Difference>

export const Replay = Type.Object({
  task_id: Text,
  events: Type.Integer({ minimum: 1 }),
  /** SHA-256 of the task object as canonical JSON, base64url. */
  state_hash: Text,
  matches: Type.Boolean(),
  mismatches: Type.Array(Type.Object({ field: Text, stored: Type.Unknown(), replayed: Type.Unknown() })),
})
export type Replay = Static<typeof Replay>

const machine = {
  machine: Open,
  state: Status,
  /** The state in the form in which XState writes the value of a nested state. */
  value: Type.Union([Text, Open]),
  next_events: Type.Array(Text),
}
export const TaskMachine = Type.Object(machine)
/** For an agent that is a statechart, `machine` is its chart, and `task` has the chart of the task. */
export const Machine = Type.Object({
  ...machine,
  context: optional(Type.Unknown()),
  task: optional(TaskMachine),
})

export const AgentList = listOf(AgentInfo)
export const WorkerList = listOf(WorkerInfo)

export const EnvironmentList = Type.Object({ environments: Type.Array(EnvironmentInfo) })
export const EnvironmentDetails = Type.Object({ name: Text, details: Type.Array(EnvironmentInfo) })
const offered = { tools: Type.Array(ToolDefinition), done: Type.Boolean() }
export const CreatedEnv = Type.Object({ session_id: Text, env_id: Text, initial_state: Open, ...offered })
export const ResetEnv = Type.Object({ observation: Open, ...offered })
export const ObservedEnv = Type.Object({ state: Open, ...offered })
export const ClosedEnv = Type.Object({ status: Type.Literal('closed'), message: Text })
export const DeletedSession = Type.Object({
  status: Type.Literal('deleted'),
  session_id: Text,
  message: Text,
})
export const SessionList = Type.Object({
  sessions: Type.Array(EnvSession),
  total: Count,
  has_more: optional(Type.Boolean()),
})
export const CleanedSessions = Type.Object({
  status: Type.Literal('ok'),
  cleaned_count: Count,
  cleaned_sessions: Type.Array(Text),
})
export const SessionMachine = Type.Object({
  machine: Open,
  state: Type.Enum(['absent', 'active', 'closed', 'deleted']),
  value: Type.Union([Text, Open]),
  next_events: Type.Array(Text),
})

const stepFrames = {
  'step.started': { tool_name: Text, tool_args: Open },
  'step.output.delta': { delta: Text },
  'step.completed': EnvStepAnswer.properties,
  'step.failed': { error: ErrorObject },
} satisfies Record<string, TProperties>
export type StepFrameType = keyof typeof stepFrames
/** The schema of each frame of a streamed step, by its name. */
export const stepFrameSchemas = Object.fromEntries(
  Object.entries<TProperties>(stepFrames).map(([type, fields]) => [
    type,
    Type.Object({
      type: Type.Literal(type),
      sequence_number: Count,
      session_id: Text,
      step: Count,
      ...fields,
    }),
  ]),
) as unknown as Record<StepFrameType, TObject>
export const StepFrame = Type.Union(Object.values(stepFrameSchemas))

/** The first event of a public event stream that a client opened without a cursor. */
export const Position = Type.Object({ position: Count })

export const Ticket = Type.Object({ ticket: Text, expires_in: Type.Integer({ minimum: 1 }) })
const Role = Type.Enum([...roles])
export const CreatedToken = Type.Object({
  id: Text,
  token: Text,
  role: Role,
  name: orNull(Text),
  user_id: orNull(Text),
  expires_at: orNull(Type.Integer()),
})
/** The token of the request. The admin token that the operator sets has the id `admin`. */
export const OwnToken = Type.Object({
  id: Text,
  role: Role,
  user_id: orNull(Text),
  expires_at: orNull(Type.Integer()),
})
export const TokenInfo = Type.Object({
  id: Text,
  role: Role,
  name: orNull(Text),
  user_id: orNull(Text),
  created_at: Type.Integer(),
  expires_at: orNull(Type.Integer()),
  last_used_at: orNull(Type.Integer()),
})
export const TokenList = listOf(TokenInfo, { uses_since: Type.Integer() })
export const RevokedToken = Type.Object({ status: Type.Literal('revoked'), id: Text, message: Text })

/** Where things are: addresses below PUBLIC_URL, or paths of this server. */
export const Root = Type.Object({
  name: Type.Literal('reprise'),
  version: Text,
  console: Text,
  api: Text,
  docs: Text,
  openapi: Text,
  events: Text,
})
export const Health = Type.Object({ status: Type.Literal('ok') })
/**
 * `owner`: the name of the node that owns the log; null while no node owns the log. `conditions`: what is wrong at the
 * moment, and since when (ISO 8601).
 */
const InCluster = Type.Object({
  node: Text,
  role: Type.Enum(['owner', 'standby']),
  owner: orNull(Text),
  conditions: Type.Array(Type.Object({ code: Text, message: Text, since: Text })),
})
export const Readiness = Type.Object({
  status: Type.Enum(['ready', 'not ready']),
  log: Type.Enum(['ok', 'failing']),
  read_models: Type.Enum(['ok', 'behind']),
  sandbox: Type.Enum(['bubblewrap', 'limits', 'refused']),
  own_users: Type.Enum(['all', 'some', 'none']),
  position: Count,
  tasks: Type.Object({
    ...Object.fromEntries(taskStatuses.map(status => [status, optional(Count)])),
    running: Count,
    waiting: Count,
  }),
  cluster: optional(InCluster),
})
const Rate = Type.Number({ minimum: 0 })
export const MetricSample = Type.Object({
  at: Count,
  events_per_second: Rate,
  requests_per_second: Rate,
  lag_positions: Count,
  memory_bytes: Count,
  loop_p99_seconds: Rate,
})
export type MetricSample = Static<typeof MetricSample>
export const MetricSamples = listOf(MetricSample, { every_seconds: Count })

/** The answer of a node that does not own the log. */
export const StandbyReadiness = Type.Object({
  status: Type.Enum(['ready', 'not ready']),
  read_models: Type.Enum(['ok', 'behind']),
  position: Count,
  cluster: InCluster,
})
