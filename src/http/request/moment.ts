// Reads a moment of the past from the query parameter `as_of` or `at`.
import type { Principal } from '../../contract/events/token-events.ts'
import type { Moment } from '../../tasks/as-of.ts'
import { isoTime, type QueryReader } from './query.ts'

const pastOf = (text: string): Exclude<Moment, { frame: number }> | undefined => {
  const [, position] = /^position:(\d{1,15})$/.exec(text) ?? []
  if (position !== undefined) return { position: Number(position) }
  const time = isoTime(text)
  return time === undefined ? undefined : { time }
}

/** The moment that a parameter names: by the number of a frame, by `position:N`, or by a time. */
export const momentOf = (q: QueryReader, name = 'as_of'): Moment | undefined =>
  q.parsed<Moment>(
    name,
    text => (/^\d{1,15}$/.test(text) ? { frame: Number(text) } : pastOf(text)),
    'Give the number of a frame, position:N, or an ISO 8601 time',
  )

/** The moment of a list. A frame belongs to one task, so it names no moment of a list. */
export const momentOfList = (q: QueryReader): Exclude<Moment, { frame: number }> | undefined =>
  q.parsed('as_of', pastOf, 'Give position:N or an ISO 8601 time')

/** Whether a principal may see the past of tasks that have been deleted since. */
export const seesDeleted = ({ role }: Principal): boolean => role === 'admin' || role === 'auditor'
