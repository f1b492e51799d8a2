// Describes a stored event in a few words.
import type { StoredEntry, StoredMachine } from '../../src/contract/events/task-events.ts'
import { moment } from '../ui/time-words.ts'
import { placeWords } from './chart-tree.ts'
import type { Event } from './past.ts'

const shortest = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 140 ? `${line.slice(0, 140)}…` : line
}

/** The message of a user: its text, without images and files. */
export const textOf = (content: unknown): string => {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map(part => (typeof part === 'string' ? part : ((part as { text?: string }).text ?? '')))
    .filter(text => text !== '')
    .join(' ')
}

/** What code has asked for in a turn, and the state of its statechart after it. */
const turnWords = (journal: readonly StoredEntry[], machine: StoredMachine | undefined): string =>
  [
    journal.map(({ do: does, name }) => (name === undefined ? does : `${does} ${name}`)).join(', '),
    machine === undefined ? '' : `in ${placeWords(machine.value)}`,
  ]
    .filter(part => part !== '')
    .join('; ')

const wordsOf = (event: Event): string => {
  const { type, data } = event
  switch (type) {
    case 'TaskCreated':
      return `${data.agent}: ${textOf(data.request.user_message_content)}`
    case 'AgentSpawned':
    case 'AgentCompleted':
      return data.agent_id
    case 'AgentError':
      return data.error
    case 'AgentStepStarted':
    case 'CompressionStarted':
      return `step ${data.agent_step}`
    case 'AgentStepCompleted':
      return (
        turnWords(data.journal ?? [], data.machine) ||
        `step ${data.agent_step}${data.final ? ', the last one' : ''}`
      )
    case 'AgentWaits':
      return data.until === undefined ? 'for a message' : `until ${moment(data.until)}`
    case 'TaskQueued':
      return data.waiting_for === undefined ? '' : 'no worker has the agent'
    case 'WorkerAwaited':
      return data.over ? 'a worker has come' : 'no worker has the agent'
    case 'AgentStepAbandoned':
      return `step ${data.agent_step} broke off and begins again`
    case 'ItemDelta':
      return `${data.call?.name ?? data.part}: ${data.delta}`
    case 'ItemSaid':
      return `${data.call?.name ?? data.item}: ${data.texts.join(' ')}`
    case 'EffectSaid':
      return data.delta
    case 'EffectIntended':
      return `${data.name}${data.attempt === undefined ? '' : `, run ${data.attempt}`}`
    case 'EffectPromised':
      return [
        ...(data.asks?.questions ?? []).map(({ name }) => `asks: ${name}`),
        ...(data.asks?.answers ?? []).map(({ by }) => `answered by ${by}`),
      ].join(', ')
    case 'EffectCompleted':
      if (data.message !== undefined) return 'a message has come'
      return `${data.status === 'incomplete' ? 'incomplete: ' : ''}${textOf(data.content)}`
    case 'EffectStopped':
      return data.stopped ? 'stopped' : 'did not stop in time'
    case 'InputRequired':
      return `${data.calls.length} ${data.calls.length === 1 ? 'call waits' : 'calls wait'} for the client`
    case 'ApprovalDecided':
      return `${data.decision === 'approve' ? 'approved' : 'refused'} by ${data.by}${data.reason === undefined ? '' : `: ${data.reason}`}`
    case 'InputAccepted':
      return `by ${data.by}: ${data.event === undefined ? textOf(data.item.message_content) : `event ${data.event.type}`}`
    case 'TaskPaused':
      return data.reason
    case 'TaskCanceled':
      return data.reason ?? ''
    case 'TaskFailed':
      return data.error.message
    case 'GroupChatMessage':
      return `${data.name}: ${textOf(data.content)}`
    case 'GroupChatAgentThinking':
    case 'GroupChatAgentResponse':
      return data.name
    case 'RewardGiven':
      return `${data.name ?? 'reward'} ${data.value}`
    default:
      return ''
  }
}
export const detailOf = (event: Event): string => shortest(wordsOf(event))

/** Whether something went wrong at an event. */
export const isTrouble = ({ type, data }: Event): boolean => {
  if (type === 'EffectCompleted') return data.status === 'incomplete'
  if (type === 'EffectStopped') return !data.stopped
  if (type === 'TaskPaused') return data.reason === 'outcome_unknown'
  return (
    type === 'TaskFailed' || type === 'AgentError' || type === 'AgentStepAbandoned' || type === 'EffectCut'
  )
}
