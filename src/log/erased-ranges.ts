// Finds the event that erased another event. A log of an earlier version has no such table, and gets it when a server
// opens it. Therefore the statement is made when it is needed first.
import type Database from 'better-sqlite3'

/** Returns the position of the event PayloadsErased that covers a position; undefined: there is none. */
export const erasedRangesOf = (db: Database.Database): ((position: number) => number | undefined) => {
  const make = () =>
    db
      .prepare<[number], number>(
        `SELECT r.erased_by FROM events e JOIN erased r ON r.stream_no = e.stream_no
         WHERE e.position = ? AND e.position BETWEEN r.first AND r.last ORDER BY r.erased_by LIMIT 1`,
      )
      .pluck()
  let made: ReturnType<typeof make> | undefined
  return position => {
    if (made === undefined && Number(db.pragma('user_version', { simple: true })) >= 3) made = make()
    return made?.get(position)
  }
}
