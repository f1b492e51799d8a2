// Makes the headers and the subject of an event's NATS message. The subject contains the user, so that permissions in
// NATS can depend on the user.

import { channelOf, type EventChannel, type PublicEvent } from '../../contract/events/public-events.ts'
import type { Published } from '../published.ts'

export const allSubjects = 'reprise.events.>'
/** The subject for checkpoints of the log, which are sent as signed notes. */
export const checkpointSubject = 'reprise.checkpoints'

/** The part of a subject that stands for the events of a channel. */
const groups: Record<EventChannel, string> = {
  tasks: 'task',
  agents: 'agent',
  group: 'group_chat',
  cron: 'cron',
  sessions: 'env',
  webhooks: 'webhook',
}

const plain = /^[A-Za-z0-9_-]{1,128}$/
/** One part of a subject. A text that is too long or not allowed there is encoded; the body has the text itself. */
const part = (text: string): string =>
  plain.test(text) ? text : `=${Buffer.from(text).toString('base64url')}`

const aboutOf = (event: PublicEvent): string => {
  if (event.type === 'WebhookDisabled') return event.webhook_id
  if ('group_chat_id' in event) return event.group_chat_id
  if ('job_id' in event) return event.job_id
  return (channelOf(event.type) === 'sessions' ? undefined : event.task_id) ?? event.session_id ?? ''
}

export const subjectOf = ({ owner, event }: Published<PublicEvent>): string =>
  `reprise.events.${part(owner)}.${groups[channelOf(event.type)]}.${event.type}.${part(aboutOf(event))}`

/** The subject, with wildcards, of all events about a task, a cron job, an environment session or a webhook. */
export const subjectsAbout = (id: string): string => `reprise.events.*.*.*.${part(id)}`

/** Encodes characters that a header cannot hold, in the way that CloudEvents prescribes. */
const headerValue = (text: string): string =>
  text.replace(/[^\x21-\x7e]|["%]/gu, character =>
    Buffer.from(character).reduce(
      (encoded, byte) => `${encoded}%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
      '',
    ),
  )

export const idHeader = 'Nats-Msg-Id'
export const prevHeader = 'Reprise-Prev'
export const sourceHeader = 'ce-source'

/** `prev`: the position of the public event before this one; 0: there is none. `source`: the log's id. */
export const headersOf = (
  { position, event }: Published<PublicEvent>,
  prev: number,
  source: string,
): Record<string, string> => ({
  [idHeader]: String(position),
  [prevHeader]: String(prev),
  'ce-specversion': '1.0',
  'ce-id': String(position),
  'ce-type': event.type,
  [sourceHeader]: source,
  'ce-time': event.timestamp,
  'ce-subject': headerValue(aboutOf(event)),
})
