// Reads a moment of the past from a query, in `as_of` or in `at`.
import { Invalid } from '../contract/refusals.ts'
import type { Principal } from '../contract/token-events.ts'
import type { Moment } from '../tasks/as-of.ts'
import { isoTime, type QueryReader } from './query.ts'

const wrong = (name: string, msg: string) => new Invalid([{ loc: ['query', name], msg, type: 'value_error' }])

/** The moment that a parameter names: by the number of a frame, by `position:N`, or by a time. */
export const momentOf = (q: QueryReader, name = 'as_of'): Moment | undefined => {
  const text = q.text(name)
  if (text === undefined) return undefined
  const number = /^(position:)?(\d{1,15})$/.exec(text)
  if (number !== null) {
    const n = Number(number[2])
    return number[1] === undefined ? { frame: n } : { position: n }
  }
  const time = isoTime(text)
  if (time !== undefined) return { time }
  throw wrong(name, 'Give the number of a frame, position:N, or an ISO 8601 time')
}

/** The moment of a list. A frame belongs to one task, so it names no moment of a list. */
export const momentOfList = (q: QueryReader): Exclude<Moment, { frame: number }> | undefined => {
  const moment = momentOf(q)
  if (moment !== undefined && 'frame' in moment) throw wrong('as_of', 'Give position:N or an ISO 8601 time')
  return moment
}

/** Whether a principal may see tasks of the past that were deleted since. */
export const seesDeleted = ({ role }: Principal): boolean => role === 'admin' || role === 'auditor'
