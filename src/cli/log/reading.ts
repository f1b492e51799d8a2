// Describes an event of a task, an environment session or a cron job in a few words, for a reader of the history.

import { cronEvents } from '../../contract/decoders/cron.ts'
import { sessionEvents } from '../../contract/decoders/env-session.ts'
import { taskEvents } from '../../contract/decoders/task.ts'
import type { CronEvent } from '../../contract/events/cron-events.ts'
import type {
  EnvSessionEvent,
  EnvSessionEventData,
  EnvSessionEventType,
} from '../../contract/events/env-session-events.ts'
import type { TaskEvent, TaskEventData, TaskEventType } from '../../contract/events/task-events.ts'
import type { Recorded } from '../../contract/stored.ts'
import type { MessageContent } from '../../contract/wire.ts'

const contentText = (content: MessageContent): string =>
  typeof content === 'string'
    ? content
    : content
        .map(part => (typeof part === 'string' ? part : 'text' in part ? part.text : `(${part.type})`))
        .join(' ')

const step = ({ agent_step }: { agent_step: number }): string => `step ${agent_step}`
const from = (data: { from: string; reason?: string }): string =>
  `from ${data.from}${data.reason === undefined ? '' : `: ${data.reason}`}`

const readings: { [T in TaskEventType]?: (data: TaskEventData<T>) => string } = {
  TaskCreated: ({ agent, request }) => `${agent}: ${contentText(request.user_message_content)}`,
  TaskQueued: from,
  AgentSpawned: ({ agent_id }) => agent_id,
  TaskStarted: from,
  AgentStepStarted: step,
  ItemDelta: ({ part, delta }) => `${part}: ${delta}`,
  ItemCompleted: ({ item_id }) => item_id,
  ItemSaid: ({ part, texts, call }) => `${call?.name ?? part}: ${texts.join(' ')}`,
  ToolsOffered: ({ stream, odd = [] }) => (odd.length === 0 ? stream : `${stream}, ${odd.length} odd`),
  CompressionStarted: step,
  AgentStepCompleted: ({ agent_step, final, usage }) =>
    [`step ${agent_step}`, final && 'final', usage && `usage ${JSON.stringify(usage)}`]
      .filter(Boolean)
      .join(', '),
  AgentStepAbandoned: step,
  AgentCompleted: ({ agent_id, success }) => `${agent_id}${success ? '' : ', without success'}`,
  AgentError: ({ agent_id, error }) => `${agent_id}: ${error}`,
  EffectIntended: ({ name, call_id, attempt }) =>
    `${name} ${call_id}${attempt === undefined ? '' : `, attempt ${attempt}`}`,
  EffectPromised: ({ call_id, promise, asks: { questions = [], answers = [] } = {} }) =>
    [
      call_id,
      promise,
      ...questions.map(({ call_id: id, arguments: text }) => `asks ${id}: ${text}`),
      ...answers.map(({ call_id: id, by, content }) => `${id} answered by ${by}: ${contentText(content)}`),
    ]
      .filter(Boolean)
      .join(' '),
  EffectSaid: ({ call_id, delta }) => `${call_id}: ${delta}`,
  EffectCut: ({ call_id }) => `${call_id} gave no result`,
  EffectCompleted: ({ call_id, status, content }) => `${call_id} ${status}: ${contentText(content)}`,
  ApprovalRequired: ({ call_id }) => call_id,
  ApprovalDecided: ({ by, call_id, decision, arguments: given, reason }) =>
    [`${decision} ${call_id} by ${by}`, given, reason].filter(Boolean).join(': '),
  InputRequired: ({ calls }) => calls.join(' '),
  InputAccepted: ({ by, item }) => `${item.type} by ${by}: ${contentText(item.message_content)}`,
  InputAnswered: from,
  InputConsumed: ({ items }) => items.join(' '),
  TaskPaused: from,
  TaskResumed: from,
  CancelRequested: ({ reason }) => reason ?? '',
  EffectStopped: ({ effect_id, stopped }) => `${effect_id}${stopped ? '' : ', not in time'}`,
  TaskCompleted: from,
  TaskFailed: ({ error }) => `${error.message} (${error.code})`,
  TaskCanceled: from,
  TaskExpired: from,
  TaskDeleted: ({ by }) => `by ${by}`,
  RewardGiven: ({ name, value, by }) => `${name === undefined ? '' : `${name} `}${value} by ${by}`,
}

type Taken = { step: number; tool_name: string; tool_args: Record<string, unknown> }
const taken = ({ step, tool_name, tool_args }: Taken): string =>
  `step ${step}: ${tool_name} ${JSON.stringify(tool_args)}`

const sessionReadings: { [T in EnvSessionEventType]: (data: EnvSessionEventData<T>) => string } = {
  EnvSessionCreated: ({ user_id, source, kwargs, seed }) =>
    `${user_id}: ${source.name} ${JSON.stringify(kwargs)}, seed ${seed}`,
  EnvStepIntended: taken,
  EnvStepCompleted: ({ status, content, reward, done, ...step }) =>
    `${taken(step)} ${status}, reward ${reward}${done ? ', done' : ''}: ${contentText(content)}`,
  EnvSessionReset: ({ seed, options }) => `seed ${seed}, options ${JSON.stringify(options)}`,
  EnvSessionClosed: ({ reason }) => reason,
  EnvSessionDeleted: ({ by }) => `by ${by}`,
}

const readingOfJob = ({ type, data }: CronEvent): string | undefined => {
  if (type === 'CronJobCreated') return `${data.user_id}: ${data.settings.name}`
  if (type === 'CronJobTriggered' || type === 'CronJobCompleted') return `${data.run_id}: ${data.task_id}`
  if (type === 'CronJobFailed') return `${data.run_id}: ${data.reason}: ${data.error}`
  if (type === 'CronRunSkipped') return `${data.run_id}: ${data.reason}`
  if (type === 'CronJobPaused' || type === 'CronJobEnded') return data.reason
  return undefined
}

const readingOfTask = ({ type, data }: TaskEvent): string | undefined =>
  (readings[type] as ((data: TaskEvent['data']) => string) | undefined)?.(data)
const readingOfSession = ({ type, data }: EnvSessionEvent): string =>
  (sessionReadings[type] as (data: EnvSessionEvent['data']) => string)(data)

/** Returns the description of an event. An event whose type has no rule here is described by its data as JSON. */
export const readingOf = (stored: Recorded): string => {
  if (stored.erased_by !== undefined) return `erased by position ${stored.erased_by}`
  const ofTask = taskEvents.find(stored)
  const ofSession = sessionEvents.find(stored)
  const ofJob = cronEvents.find(stored)
  const reading =
    (ofTask && readingOfTask(ofTask)) ??
    (ofSession && readingOfSession(ofSession)) ??
    (ofJob && readingOfJob(ofJob))
  if (reading !== undefined) return reading
  const text = JSON.stringify(stored.data)
  return text === '{}' ? '' : text
}
