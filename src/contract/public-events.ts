// The public events that subscribers receive by SSE, WebSocket and NATS. The type of each public event is defined only
// here. A stored event gives at most one public event, so the position of the stored event serves as a cursor.
import Type, { type Static, type TProperties } from 'typebox'
import { type EventName, eventNames } from './event-names.ts'
import { Ask } from './task-events/inputs.ts'
import { MessageContent, taskStatuses } from './wire.ts'

const optional = Type.Optional
const Text = Type.String()
const Status = Type.Enum([...taskStatuses])

const inChat = { group_chat_id: Text, agent_id: Text, name: Text, round: Type.Integer() }
/** `scheduled_at`: ISO 8601. */
const CronRun = { job_id: Text, name: Text, run_id: Text, task_id: Text, scheduled_at: Text }

const events = {
  /**
   * `forked_from`: only in a fork. The copied events of the fork's past give no public events, and `status` is the
   * status in which the fork begins.
   */
  TaskCreated: {
    task_id: Text,
    title: Text,
    session_id: Text,
    user_id: Text,
    status: Status,
    forked_from: optional(Type.Object({ task_id: Text, at: Type.Integer() })),
  },
  /**
   * `sequence_number` is the number of the last frame that the stored event gives. `changed` names fields of the task
   * object.
   */
  TaskUpdated: {
    task_id: Text,
    session_id: Text,
    sequence_number: Type.Integer(),
    changed: Type.Array(Text),
  },
  TaskStatusChanged: {
    task_id: Text,
    session_id: Text,
    old_status: Status,
    new_status: Status,
    reason: optional(Text),
    /**
     * Only with the new status `input-required`: the calls that wait for the client, oldest first, at most 16. `arguments` is
     * JSON text; absent if it is longer than 4,096 characters.
     */
    pending_inputs: optional(Type.Array(Ask)),
  },
  TaskDeleted: { task_id: Text, session_id: Text },
  AgentSpawned: {
    agent_id: Text,
    session_id: Text,
    workdir: Text,
    task_id: Text,
    parent_agent_id: optional(Text),
  },
  AgentCompleted: { agent_id: Text, session_id: Text, task_id: Text, success: Type.Boolean() },
  AgentError: {
    agent_id: Text,
    session_id: Text,
    task_id: Text,
    error: Text,
    code: optional(Type.Integer()),
  },
  GroupChatMessage: {
    ...inChat,
    message_id: Text,
    role: Type.Enum(['assistant', 'user']),
    content: MessageContent,
  },
  GroupChatAgentThinking: inChat,
  GroupChatAgentResponse: {
    ...inChat,
    task_id: Text,
    content: Text,
    usage: Type.Record(Text, Type.Unknown()),
  },
  CronJobTriggered: CronRun,
  CronJobCompleted: { ...CronRun, duration_ms: Type.Integer() },
  /** `task_id` is absent if the server refused to create the task of the run. */
  CronJobFailed: {
    ...CronRun,
    task_id: optional(Text),
    duration_ms: Type.Integer(),
    error: Text,
    reason: Text,
  },
  EnvSessionCreated: { session_id: Text, env_id: Text, user_id: Text },
  EnvStepCompleted: {
    session_id: Text,
    step: Type.Integer(),
    tool_name: Text,
    reward: Type.Number(),
    done: Type.Boolean(),
    task_id: optional(Text),
  },
  EnvSessionReset: { session_id: Text, seed: Type.Integer() },
  EnvSessionClosed: { session_id: Text, reason: Text },
  EnvSessionDeleted: { session_id: Text },
  WebhookDisabled: { webhook_id: Text, reason: Text },
} satisfies Record<EventName, TProperties>

export type PublicEventType = keyof typeof events
type Fields = { [T in PublicEventType]: Static<Type.TObject<(typeof events)[T]>> }
export type PublicEvent = {
  [T in PublicEventType]: { type: T; timestamp: string; task_id?: string; session_id?: string } & Fields[T]
}[PublicEventType]

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

/** The schema of each event's body, by its name. */
export const publicEventSchemas = Object.fromEntries(
  Object.entries(events).map(([type, fields]) => [
    type,
    Type.Object({ type: Type.Literal(type), timestamp: Type.String({ format: 'date-time' }), ...fields }),
  ]),
) as unknown as { [T in PublicEventType]: Type.TObject }

export { type EventName, eventNames }

/**
 * A subscriber to all events gets these events only if its `types` name them, because a client that knows only the
 * original interface (docs/decisions/26) does not know these events.
 */
export const optInEvents: ReadonlySet<string> = new Set<EventName>([
  'EnvSessionCreated',
  'EnvStepCompleted',
  'EnvSessionReset',
  'EnvSessionClosed',
  'EnvSessionDeleted',
  'WebhookDisabled',
])
