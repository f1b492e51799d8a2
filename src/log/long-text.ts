// Reads long payloads, which are stored in pieces. A log of version 1 has no pieces, and gets a newer version when a
// server opens it. Therefore the statements are prepared only when they are first needed.
import type Database from 'better-sqlite3'

export const longPayloadsOf = (db: Database.Database) => {
  const hasTables = () => Number(db.pragma('user_version', { simple: true })) >= 2
  const make = () => ({
    // The pieces of an erased event are gone, but its number in `long_payloads` must not be used again.
    last: db
      .prepare<[], number>(
        `SELECT max(coalesce((SELECT max(payload) FROM pieces), 0), coalesce((SELECT max(no) FROM long_payloads), 0))`,
      )
      .pluck(),
    isThere: db.prepare<[number], number>('SELECT 1 FROM long_payloads WHERE position = ?').pluck(),
    textOf: db
      .prepare<[number], string | null>(
        `SELECT group_concat(text, '' ORDER BY n) FROM pieces
         WHERE payload = (SELECT no FROM long_payloads WHERE position = ?)`,
      )
      .pluck(),
  })
  let made: ReturnType<typeof make> | undefined
  const statements = () => {
    made ??= hasTables() ? make() : undefined
    return made
  }
  return {
    /** The highest number of a payload; 0: there is none. */
    last: (): number => statements()?.last.get() ?? 0,
    /** Whether the event at a position has a long payload. */
    isAt: (position: number): boolean => statements()?.isThere.get(position) !== undefined,
    /** The text of the long payload of the event at a position; undefined: the event has none. */
    textOf: (position: number): string | undefined => statements()?.textOf.get(position) ?? undefined,
  }
}
