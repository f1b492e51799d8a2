// What a webhook sends for a public event: the event itself, or, if the webhook asks for events of OpenAI's form, the end of a
// response.
import type { Published } from '../bus/published.ts'
import { isResponseEnd, type ResponseEnd } from '../contract/openai/response-ends.ts'
import type { Webhook } from '../history/webhook.ts'
import { type Body, bodyOf, bodyWith } from './body.ts'

/** Finds the response that ended when the status of a task changed at this time (ISO 8601); undefined: none did. */
export type FindEnded = (taskId: string, at: string) => Promise<ResponseEnd | undefined>

export type Letter = { type: string; body: Body }

/** The types of the public events that a webhook needs; undefined: all types except those that a subscriber must name. */
export const neededTypes = ({ settings: { types } }: Webhook): ReadonlySet<string> | undefined => {
  if (types === undefined) return undefined
  return new Set(types.map(type => (isResponseEnd(type) ? 'TaskStatusChanged' : type)))
}

/** Undefined: the webhook sends nothing for this event. */
export const letterOf = async (
  { settings: { types } }: Webhook,
  published: Published,
  findEnded: FindEnded,
): Promise<Letter | undefined> => {
  const { event, position } = published
  if (types === undefined || !types.some(isResponseEnd)) return { type: event.type, body: bodyOf(published) }
  if (event.type !== 'TaskStatusChanged') return undefined
  const ended = await findEnded(event.task_id, event.timestamp)
  if (ended === undefined || !types.includes(ended.type)) return undefined
  const { type, id } = ended
  const created_at = Math.floor(Date.parse(event.timestamp) / 1000)
  return { type, body: bodyWith({ object: 'event', id: `evt_${position}`, type, created_at, data: { id } }) }
}
