// Lists of our own: one form of the answer, one way to ask for the next page. The cursor names the list and the place at
// which the page before ended, so that no entry can disappear from under it.
import type { List } from '../../contract/wire/list.ts'
import type { OperationId } from '../../documents/operations.ts'
import { limitOf } from '../request/parameters.ts'
import type { QueryReader } from '../request/query.ts'

/** Where an entry stands in its list: a number or a name that grows from entry to entry, or falls. */
type Place = number | string
/** A page that is asked for: at most `limit` entries behind the place `after`; undefined: from the beginning. */
export type Asked<P extends Place> = { limit: number; after: P | undefined }

const isPosition = (place: unknown): place is number => Number.isSafeInteger(place) && (place as number) >= 0
const isName = (place: unknown): place is string => typeof place === 'string'

const placeIn = (list: OperationId, cursor: string): unknown => {
  try {
    const [of, place] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    return of === list ? place : undefined
  } catch {
    return undefined
  }
}

const listing = <P extends Place>(list: OperationId, isPlace: (place: unknown) => place is P) => {
  const cursorAt = (place: P): string => Buffer.from(JSON.stringify([list, place])).toString('base64url')
  const placeOf = (cursor: string): P | undefined => {
    const place = placeIn(list, cursor)
    return isPlace(place) ? place : undefined
  }
  /** `last`: the place of the last entry of the page. */
  const ending = (hasMore: boolean, last: P | undefined) => ({
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? cursorAt(last) : null,
  })
  return {
    /** Reads `limit` and `cursor`. */
    asked: (q: QueryReader): Asked<P> => ({
      limit: limitOf(list, q),
      after: q.parsed('cursor', placeOf, 'Give the `next_cursor` of a page of this list, unchanged'),
    }),
    /** The answer for rows of which one more than `limit` was asked for, to find out whether more follow. */
    answer<Row, Entry>(
      found: readonly Row[],
      { limit }: Asked<P>,
      placeOf: (row: Row) => P,
      entryOf: (row: Row) => Entry,
    ): List<Entry> {
      const rows = found.slice(0, limit)
      const last = rows.at(-1)
      const end = ending(found.length > limit, last === undefined ? undefined : placeOf(last))
      return { object: 'list', data: rows.map(entryOf), ...end }
    },
    /** The answer as text that is made piece by piece: what comes before the entries, and what comes after them. */
    begun: '{"object":"list","data":[',
    ended: (hasMore: boolean, last: P | undefined): string =>
      `],${JSON.stringify(ending(hasMore, last)).slice(1)}`,
  }
}

/** A list whose entries stand at positions of the log or at times. */
export const listByPosition = (list: OperationId) => listing(list, isPosition)
/** A list whose entries stand in the order of their names. */
export const listByName = (list: OperationId) => listing(list, isName)

/** The rows of a page, and one more, of a list that is in memory as a whole. */
export const rowsAfter = <Row, P extends Place>(
  rows: readonly Row[],
  { limit, after }: Asked<P>,
  placeOf: (row: Row) => P,
): Row[] =>
  rows
    .filter(row => after === undefined || placeOf(row) > after)
    .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
    .slice(0, limit + 1)
