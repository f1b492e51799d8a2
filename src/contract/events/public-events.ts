// The public events that subscribers receive by SSE, WebSocket and NATS. A public event is declared only here: its channel,
// its schema and its description. A stored event gives at most one public event, so the position of the stored event serves
// as a cursor.
import Type, { type Static, type TProperties } from 'typebox'
import { MessageContent } from '../wire/content.ts'
import { PendingMetadata } from '../wire/items.ts'
import { taskStatuses } from '../wire/task-status.ts'

/** The channels of public events. A further channel, `task`, carries the frames of one task. */
export const eventChannels = ['tasks', 'sessions', 'agents', 'group', 'cron', 'webhooks'] as const
export type EventChannel = (typeof eventChannels)[number]

const optional = Type.Optional
const Text = Type.String()
const Status = Type.Enum([...taskStatuses])

/**
 * A call that waits for the client. `arguments`: JSON text; absent if it is too long. `metadata`: the call waits for an
 * approval.
 */
export const Ask = Type.Object({
  call_id: Text,
  name: Text,
  arguments: optional(Text),
  metadata: optional(PendingMetadata),
})
export type Ask = Static<typeof Ask>

const inChat = { group_chat_id: Text, agent_id: Text, name: Text, round: Type.Integer() }
/** `scheduled_at`: ISO 8601. */
const CronRun = { job_id: Text, name: Text, run_id: Text, task_id: Text, scheduled_at: Text }

type Entry = {
  /** The channel of the WebSocket that carries the event. The subject on NATS follows from it. */
  channel: EventChannel
  /** What the event says, for the documents. */
  about: string
  /** `eventFields` has their descriptions. */
  fields: TProperties
  /**
   * A subscriber to all events gets this event only if its `types` name it, because a client that knows only the original
   * interface (docs/decisions/26) does not know this event.
   */
  isOptIn?: true
}

const events = {
  /** The copied events of a fork's past give no public events. `status` is the status in which the fork begins. */
  TaskCreated: {
    channel: 'tasks',
    about: 'A task was accepted.',
    fields: {
      task_id: Text,
      title: Text,
      session_id: Text,
      user_id: Text,
      status: Status,
      forked_from: optional(Type.Object({ task_id: Text, at: Type.Integer() })),
    },
  },
  TaskUpdated: {
    channel: 'tasks',
    about: 'A task has a new finished item, or a client answered one of its calls.',
    fields: {
      task_id: Text,
      session_id: Text,
      sequence_number: Type.Integer(),
      changed: Type.Array(Text),
    },
  },
  TaskDeleted: {
    channel: 'tasks',
    about: 'A task was deleted.',
    fields: { task_id: Text, session_id: Text },
  },
  TaskStatusChanged: {
    channel: 'tasks',
    about: 'The status of a task changed.',
    fields: {
      task_id: Text,
      session_id: Text,
      old_status: Status,
      new_status: Status,
      reason: optional(Text),
      pending_inputs: optional(Type.Array(Ask)),
    },
  },
  AgentSpawned: {
    channel: 'agents',
    about: 'The agent of a task begins, just before the task works for the first time.',
    fields: {
      agent_id: Text,
      session_id: Text,
      workdir: Text,
      task_id: Text,
      parent_agent_id: optional(Text),
    },
  },
  AgentCompleted: {
    channel: 'agents',
    about: 'The agent of a task ended. `success` is false if the task was canceled or expired.',
    fields: { agent_id: Text, session_id: Text, task_id: Text, success: Type.Boolean() },
  },
  AgentError: {
    channel: 'agents',
    about: 'The agent of a task failed.',
    fields: {
      agent_id: Text,
      session_id: Text,
      task_id: Text,
      error: Text,
      code: optional(Type.Integer()),
    },
  },
  GroupChatMessage: {
    channel: 'group',
    about: 'A speaker or the user said something in a group chat.',
    fields: {
      ...inChat,
      message_id: Text,
      role: Type.Enum(['assistant', 'user']),
      content: MessageContent,
    },
  },
  GroupChatAgentThinking: {
    channel: 'group',
    about: 'The turn of a speaker, or of the moderator, begins in a group chat.',
    fields: inChat,
  },
  GroupChatAgentResponse: {
    channel: 'group',
    about:
      'The turn of a speaker, or of the moderator, has ended. A GroupChatMessage follows if the content is said in the chat.',
    fields: {
      ...inChat,
      task_id: Text,
      content: Text,
      usage: Type.Record(Text, Type.Unknown()),
    },
  },
  CronJobTriggered: {
    channel: 'cron',
    about: 'A run of a cron job began: its task was created.',
    fields: CronRun,
  },
  CronJobCompleted: {
    channel: 'cron',
    about: 'The task of a run completed.',
    fields: { ...CronRun, duration_ms: Type.Integer() },
  },
  /** `task_id` is absent if the server refused to create the task of the run. */
  CronJobFailed: {
    channel: 'cron',
    about:
      'The task of a run failed, was canceled or expired, or the server refused to create it. `reason` is `failed`, `canceled`, `expired` or the reason of the refusal.',
    fields: {
      ...CronRun,
      task_id: optional(Text),
      duration_ms: Type.Integer(),
      error: Text,
      reason: Text,
    },
  },
  EnvSessionCreated: {
    channel: 'sessions',
    about: 'An environment session begins with a new instance. A closed session may begin again.',
    isOptIn: true,
    fields: { session_id: Text, env_id: Text, user_id: Text },
  },
  EnvStepCompleted: {
    channel: 'sessions',
    about: 'A step of an environment session was taken.',
    isOptIn: true,
    fields: {
      session_id: Text,
      step: Type.Integer(),
      tool_name: Text,
      reward: Type.Number(),
      done: Type.Boolean(),
      task_id: optional(Text),
    },
  },
  EnvSessionReset: {
    channel: 'sessions',
    about: 'An environment session was reset.',
    isOptIn: true,
    fields: { session_id: Text, seed: Type.Integer() },
  },
  EnvSessionClosed: {
    channel: 'sessions',
    about: 'An environment session was closed by a client or by the server.',
    isOptIn: true,
    fields: { session_id: Text, reason: Text },
  },
  EnvSessionDeleted: {
    channel: 'sessions',
    about: 'An environment session was deleted.',
    isOptIn: true,
    fields: { session_id: Text },
  },
  WebhookDisabled: {
    channel: 'webhooks',
    about: 'The server disabled a webhook whose deliveries fail.',
    isOptIn: true,
    fields: { webhook_id: Text, reason: Text },
  },
} satisfies Record<string, Entry>

export type EventName = keyof typeof events
type Fields = { [T in EventName]: Static<Type.TObject<(typeof events)[T]['fields']>> }
export type PublicEvent = {
  [T in EventName]: { type: T; timestamp: string; task_id?: string; session_id?: string } & Fields[T]
}[EventName]

/** The descriptions of the fields, for all events that have a field of this name. */
export const eventFields: Record<'type' | 'timestamp' | FieldName, string> = {
  type: 'The type of the event. The `event` of the server-sent event is the same.',
  timestamp: 'When the event happened.',
  task_id: 'The id of the task.',
  session_id: 'The id of the chat session of the task, or of the environment session.',
  user_id: 'The user who owns the task or the environment session.',
  title: 'The first 80 characters of the user’s message.',
  sequence_number: 'The number of the last frame that the event gave in the task’s stream.',
  changed: 'The fields of the task object whose values changed.',
  reason: 'The reason, if one was given.',
  agent_id:
    'The id of the agent. Each task has an agent id of its own. A message of the user in a group chat has the agent id of the chat.',
  group_chat_id: 'The id of the group chat, which is the id of its task.',
  name: 'The name of the speaker; `user` for the user. In events of cron jobs: the name of the job.',
  round: 'The number of the round, from 1.',
  message_id: 'The id of the message: an item of the chat’s output.',
  role: 'The role of the message.',
  content: 'What was said.',
  usage: 'The tokens that the turn used; empty if none were counted.',
  parent_agent_id: 'The id of the agent that called this subagent.',
  workdir: 'The folder in which the agent’s file tools work.',
  status: 'The status of the task.',
  forked_from: 'In a fork: the task from which it comes, and the frame `at` which its past ends.',
  old_status: 'The status of the task before.',
  new_status: 'The status of the task now.',
  pending_inputs:
    'Only with the new status `input-required`: the calls that wait for the client, oldest first, at most 16. `arguments` is JSON text, and absent if it is longer than 4,096 characters.',
  success: 'Whether the task completed.',
  error: 'A text that says what went wrong.',
  code: 'The code of the task’s error.',
  env_id: 'The `env_id` of the session.',
  step: 'The number of the step.',
  tool_name: 'The tool that was called.',
  reward: 'The reward of this step.',
  done: 'Whether the episode is over.',
  seed: 'The seed of the reset.',
  webhook_id: 'The id of the webhook.',
  job_id: 'The id of the cron job.',
  run_id: 'The id of the run.',
  scheduled_at: 'The time of the schedule for which the run began.',
  duration_ms: 'Milliseconds from the creation of the task to its end.',
}
type FieldName = { [T in EventName]: keyof (typeof events)[T]['fields'] }[EventName]

/**
 * Stands for the erased events at the positions `from` to `to`, on streams that show past events. `task_id`: the erased
 * events were of this task.
 */
export const Gap = Type.Object({
  type: Type.Literal('Gap'),
  timestamp: Type.String({ format: 'date-time' }),
  from: Type.Integer({ minimum: 1 }),
  to: Type.Integer({ minimum: 1 }),
  reason: Type.Literal('erased'),
  task_id: optional(Text),
  session_id: optional(Text),
})
export type Gap = Static<typeof Gap>

/** Every name for which a subscriber may ask. */
export const eventNames = Object.keys(events) as EventName[]

const entryOf = (name: EventName): Entry => events[name]
const each = <V>(part: (entry: Entry, name: EventName) => V) =>
  Object.fromEntries(eventNames.map(name => [name, part(entryOf(name), name)])) as Record<EventName, V>

/** The schema of each event's body, by its name. */
export const publicEventSchemas = each(({ fields }, type) =>
  Type.Object({ type: Type.Literal(type), timestamp: Type.String({ format: 'date-time' }), ...fields }),
)
/** The description of each event, by its name. */
export const publicEventWords = each(({ about }) => about)

/** The events that a subscriber to all events gets only if its `types` name them. */
export const optInEvents: ReadonlySet<string> = new Set(eventNames.filter(name => entryOf(name).isOptIn))

/** The channel that carries a message of this type. A message of a type without an entry (`Gap`) comes on `tasks`. */
export const channelOf = (type: string): EventChannel =>
  Object.hasOwn(events, type) ? entryOf(type as EventName).channel : 'tasks'
