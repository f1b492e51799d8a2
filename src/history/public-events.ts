// Makes the public event of a stored event, from this stored event alone, so a reader can begin at any position.
// If an event type without a public event gets one later, older stored events must still give none:
// docs/decisions/50-what-a-stored-event-once-gave.md

import { statusAfter } from '../contract/charts/task-state.ts'
import { cronEvents, type RecordedCronEvent } from '../contract/decoders/cron.ts'
import { type RecordedSessionEvent, sessionEvents } from '../contract/decoders/env-session.ts'
import { type RecordedTaskEvent, taskEvents } from '../contract/decoders/task.ts'
import { type RecordedWebhookEvent, webhookEvents } from '../contract/decoders/webhook.ts'
import { jobIdOf } from '../contract/events/cron-events.ts'
import {
  type EnvSessionEventData,
  type EnvSessionEventType,
  sessionIdOf,
} from '../contract/events/env-session-events.ts'
import type { PublicEvent } from '../contract/events/public-events.ts'
import { asked, mostAsks, type TaskEventData, type TaskEventType } from '../contract/events/task-events.ts'
import { webhookIdOf } from '../contract/events/webhook-events.ts'
import type { Header, Recorded } from '../contract/stored.ts'
import { taskIdOf } from '../contract/task-stream.ts'
import type { TaskStatus } from '../contract/wire.ts'
import { beginningOf } from './task-summary.ts'

/** The most characters of the title of a task. */
const titleLength = 80

type TaskIds = { task_id: string; session_id: string }
type Rule<T extends TaskEventType> = (
  data: TaskEventData<T>,
  about: TaskIds,
  header: Header,
) => Omit<PublicEvent, 'timestamp'> | undefined

const updated =
  <T extends TaskEventType>(...changed: string[]): Rule<T> =>
  (_, about, { seq = 0, frames = 0 }) => ({
    type: 'TaskUpdated',
    ...about,
    sequence_number: seq + frames - 1,
    changed,
  })

const moved =
  (type: TaskEventType) =>
  ({ from, reason }: { from: TaskStatus; reason?: string }, about: TaskIds) => {
    const new_status = statusAfter(from, type) as TaskStatus
    const why = reason === undefined ? {} : { reason }
    return { type: 'TaskStatusChanged' as const, ...about, old_status: from, new_status, ...why }
  }

const taskRules: { [T in TaskEventType]?: Rule<T> } = {
  TaskCreated: ({ request, user_id, forked_from }, { task_id, session_id }) => ({
    type: 'TaskCreated',
    task_id,
    title: beginningOf(request.user_message_content, titleLength),
    session_id,
    user_id,
    status: forked_from?.status ?? 'created',
    ...(forked_from === undefined
      ? {}
      : { forked_from: { task_id: forked_from.task_id, at: forked_from.at } }),
  }),
  TaskQueued: moved('TaskQueued'),
  TaskStarted: moved('TaskStarted'),
  InputRequired: (data, about) => {
    const pending_inputs = data.asks ?? data.turn?.items.slice(0, mostAsks).map(asked)
    return { ...moved('InputRequired')(data, about), ...(pending_inputs && { pending_inputs }) }
  },
  InputAnswered: moved('InputAnswered'),
  TaskPaused: moved('TaskPaused'),
  TaskResumed: moved('TaskResumed'),
  TaskCompleted: moved('TaskCompleted'),
  TaskFailed: moved('TaskFailed'),
  TaskCanceled: moved('TaskCanceled'),
  TaskExpired: moved('TaskExpired'),
  TaskDeleted: (_, about) => ({ type: 'TaskDeleted', ...about }),
  ItemCompleted: (data, about, header) =>
    updated(...(data.cut_off ? ['output', 'metadata'] : ['output']))(data, about, header),
  ItemSaid: updated('output'),
  EffectCompleted: (data, about, header) =>
    updated(...(data.usage === undefined ? ['output'] : ['output', 'metadata']))(data, about, header),
  // The answers to questions of a running call. The questions are those of the event that makes the task wait.
  EffectPromised: (data, about, header) =>
    data.asks?.answers === undefined ? undefined : updated('input_required', 'metadata')(data, about, header),
  ApprovalDecided: (data, about, header) => {
    const shown = data.arguments === undefined ? [] : ['output']
    return updated(...shown, 'input_required', 'metadata')(data, about, header)
  },
  // A message to the agent is not part of the task object.
  InputAccepted: (data, about, header) =>
    data.item.type === 'tool_result'
      ? updated('output', 'input_required', 'metadata')(data, about, header)
      : undefined,
  GroupChatAgentThinking: ({ group_chat_id, agent_id, name, round }) => ({
    type: 'GroupChatAgentThinking',
    ...{ group_chat_id, agent_id, name, round },
  }),
  GroupChatAgentResponse: ({ group_chat_id, agent_id, name, round, task_id, content, usage }) => ({
    type: 'GroupChatAgentResponse',
    ...{ group_chat_id, agent_id, name, round, task_id, content, usage },
  }),
  GroupChatMessage: ({ group_chat_id, agent_id, name, round, message_id, role, content }) => ({
    type: 'GroupChatMessage',
    ...{ group_chat_id, agent_id, name, round, message_id, role, content },
  }),
  AgentSpawned: ({ agent_id, workdir, parent_agent_id }, { task_id, session_id }) => ({
    type: 'AgentSpawned',
    agent_id,
    session_id,
    workdir,
    task_id,
    ...(parent_agent_id === undefined ? {} : { parent_agent_id }),
  }),
  AgentCompleted: ({ agent_id, success }, { task_id, session_id }) => ({
    type: 'AgentCompleted',
    agent_id,
    session_id,
    task_id,
    success,
  }),
  AgentError: ({ agent_id, error, code }, { task_id, session_id }) => ({
    type: 'AgentError',
    agent_id,
    session_id,
    task_id,
    error,
    code,
  }),
}

type SessionRule<T extends EnvSessionEventType> = (
  data: EnvSessionEventData<T>,
  session_id: string,
) => Omit<PublicEvent, 'timestamp'>

const sessionRules: { [T in EnvSessionEventType]?: SessionRule<T> } = {
  EnvSessionCreated: ({ env_id, user_id }, session_id) => ({
    type: 'EnvSessionCreated',
    session_id,
    env_id,
    user_id,
  }),
  EnvStepCompleted: ({ step, tool_name, reward, done, task_id }, session_id) => ({
    type: 'EnvStepCompleted',
    session_id,
    step,
    tool_name,
    reward,
    done,
    ...(task_id === undefined ? {} : { task_id }),
  }),
  EnvSessionReset: ({ seed }, session_id) => ({ type: 'EnvSessionReset', session_id, seed }),
  EnvSessionClosed: ({ reason }, session_id) => ({ type: 'EnvSessionClosed', session_id, reason }),
  EnvSessionDeleted: (_, session_id) => ({ type: 'EnvSessionDeleted', session_id }),
}

const bodyOfTask = ({ type, header, data }: RecordedTaskEvent) => {
  const { stream, session_id } = header
  const rule = taskRules[type] as Rule<TaskEventType> | undefined
  return rule?.(data, { task_id: taskIdOf(stream), session_id }, header)
}
const bodyOfSession = ({ type, header, data }: RecordedSessionEvent) => {
  const rule = sessionRules[type] as SessionRule<EnvSessionEventType> | undefined
  return rule?.(data, sessionIdOf(header.stream))
}
const bodyOfWebhook = ({ type, header, data }: RecordedWebhookEvent) =>
  type === 'WebhookDisabled' && data.reason !== 'requested'
    ? { type, webhook_id: webhookIdOf(header.stream), reason: data.reason }
    : undefined
const bodyOfJob = ({ type, header, data }: RecordedCronEvent) => {
  if (type !== 'CronJobTriggered' && type !== 'CronJobCompleted' && type !== 'CronJobFailed') return undefined
  const { name, run_id, task_id } = data
  const run = {
    job_id: jobIdOf(header.stream),
    name,
    run_id,
    ...(task_id === undefined ? {} : { task_id }),
    scheduled_at: new Date(data.scheduled_at).toISOString(),
  }
  if (type === 'CronJobTriggered') return { type, ...run }
  const { duration_ms } = data
  if (type === 'CronJobCompleted') return { type, ...run, duration_ms }
  return { type, ...run, duration_ms, error: data.error, reason: data.reason }
}
const bodyOf = (recorded: Recorded) => {
  // The past of a fork is no new work. The TaskCreated event of the fork says where the fork begins.
  if (recorded.header.copy_of !== undefined) return undefined
  const ofTask = taskEvents.find(recorded)
  if (ofTask !== undefined) return bodyOfTask(ofTask)
  const ofSession = sessionEvents.find(recorded)
  if (ofSession !== undefined) return bodyOfSession(ofSession)
  const ofWebhook = webhookEvents.find(recorded)
  if (ofWebhook !== undefined) return bodyOfWebhook(ofWebhook)
  const ofJob = cronEvents.find(recorded)
  return ofJob && bodyOfJob(ofJob)
}

/** The public event of a stored event; undefined when it has none. */
export const publicEventOf = (recorded: Recorded): PublicEvent | undefined => {
  const body = bodyOf(recorded)
  if (body === undefined) return undefined
  const { type, ...fields } = body
  return { type, timestamp: recorded.header.time, ...fields } as PublicEvent
}
