// What a webhook sends for a public event: the event itself; or, if the webhook asks for events of OpenAI's form, the end of a
// response; or, if a client of another protocol has set it up, what this protocol says of the event.
import type { Published } from '../bus/published.ts'
import { isResponseEnd, type ResponseEnd } from '../contract/openai/response-ends.ts'
import { isTerminal } from '../contract/wire.ts'
import type { Webhook } from '../history/webhook.ts'
import { type Body, bodyOf, bodyWith } from './body.ts'

/** Finds the response that ended with a change of a task's status. `seq`: the frame of the change. Undefined: none ended. */
export type FindEnded = (taskId: string, seq: number) => Promise<ResponseEnd | undefined>

/** What A2A says of a change of a task's status. Undefined: nothing. */
export type TellStatus = (taskId: string, seq: number) => Promise<object | undefined>

/** What other protocols say of a task. */
export type Forms = { findEnded: FindEnded; tellStatus: TellStatus }

export type Letter = { type: string; body: Body }

/** The types of the public events that a webhook needs; undefined: all types except those that a subscriber must name. */
export const neededTypes = ({ settings: { types, push } }: Webhook): ReadonlySet<string> | undefined => {
  if (push !== undefined) return new Set(['TaskStatusChanged'])
  if (types === undefined) return undefined
  return new Set(types.map(type => (isResponseEnd(type) ? 'TaskStatusChanged' : type)))
}

const ends = new WeakMap<Published, Promise<ResponseEnd | undefined>>()
/** The response that ended with an event, looked for once for all webhooks and tries. */
const endOf = (published: Published, findEnded: FindEnded): Promise<ResponseEnd | undefined> | undefined => {
  const { event, seq } = published
  if (event.type !== 'TaskStatusChanged' || seq === undefined) return undefined
  if (event.new_status !== 'input-required' && !isTerminal(event.new_status)) return undefined
  const known = ends.get(published)
  if (known !== undefined) return known
  const end = findEnded(event.task_id, seq)
  ends.set(published, end)
  end.catch(() => ends.delete(published)) // a later try looks again
  return end
}

/** Undefined: the webhook sends nothing for this event. */
export const letterOf = async (
  { settings: { types, push } }: { settings: Pick<Webhook['settings'], 'types' | 'push'> },
  published: Published,
  { findEnded, tellStatus }: Forms,
): Promise<Letter | undefined> => {
  const { event, position, seq } = published
  if (push !== undefined) {
    if (event.type !== 'TaskStatusChanged' || seq === undefined) return undefined
    const told = await tellStatus(event.task_id, seq)
    return told && { type: event.type, body: bodyWith(told) }
  }
  if (types === undefined || !types.some(isResponseEnd)) return { type: event.type, body: bodyOf(published) }
  const ended = await endOf(published, findEnded)
  if (ended === undefined || !types.includes(ended.type)) return undefined
  const { type, id } = ended
  const created_at = Math.floor(Date.parse(event.timestamp) / 1000)
  return { type, body: bodyWith({ object: 'event', id: `evt_${position}`, type, created_at, data: { id } }) }
}
