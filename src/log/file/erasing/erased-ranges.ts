// Finds the event that erased another event. The table `erased` says where to look, and the stored event itself
// decides: whoever can write to the file can add rows to the table, but cannot change the text of an event without
// changing its hashes.
import type Database from 'better-sqlite3'
import { type ErasedPart, erasedPartsOf, erasureStream } from '../../../contract/erased-range.ts'
import { isErased, misfitOf } from '../../fits.ts'
import type { Row } from '../../store.ts'

/** The largest number of events PayloadsErased whose content is kept in memory. */
const keptAtMost = 100

/** Reads which part of each stream the event at a position erases. Empty: the event is damaged, or erases nothing. */
const namedIn = (db: Database.Database) => {
  const event = db.prepare<[number], Row>(
    `SELECT e.position, s.id AS stream, e.revision, e.header, e.payload, e.salt, e.leaf
     FROM events e JOIN streams s ON s.no = e.stream_no WHERE e.position = ?`,
  )
  const kept = new Map<number, ReadonlyMap<string, ErasedPart>>()
  const read = (position: number): ReadonlyMap<string, ErasedPart> => {
    const row = event.get(position)
    const isWhole = row?.stream === erasureStream && !isErased(row) && misfitOf(row) === undefined
    return new Map(isWhole ? erasedPartsOf(row) : [])
  }
  return (position: number): ReadonlyMap<string, ErasedPart> => {
    const known = kept.get(position) ?? read(position)
    if (kept.size >= keptAtMost) kept.clear()
    if (known.size > 0) kept.set(position, known)
    return known
  }
}

type Candidate = { stream: string; erased_by: number }

/**
 * Returns a function that finds the event PayloadsErased that covers a position, and returns the position of that
 * event. Undefined: there is none.
 */
export const erasedRangesOf = (db: Database.Database): ((position: number) => number | undefined) => {
  const candidates = db.prepare<[number], Candidate>(
    `SELECT s.id AS stream, r.erased_by FROM events e JOIN streams s ON s.no = e.stream_no
     JOIN erased r ON r.stream_no = e.stream_no
     WHERE e.position = ? AND e.position BETWEEN r.first AND r.last ORDER BY r.erased_by`,
  )
  const named = namedIn(db)
  return position => {
    const found = candidates.all(position).find(({ stream, erased_by }) => {
      const part = named(erased_by).get(stream)
      return part !== undefined && part.from <= position && position <= part.to
    })
    return found?.erased_by
  }
}
