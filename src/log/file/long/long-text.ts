// Reads long payloads, which are stored in pieces.
import type Database from 'better-sqlite3'

export const longPayloadsOf = (db: Database.Database) => {
  // The pieces of an erased event are gone, but its number in `long_payloads` must not be used again.
  const last = db
    .prepare<[], number>(
      `SELECT max(coalesce((SELECT max(payload) FROM pieces), 0), coalesce((SELECT max(no) FROM long_payloads), 0))`,
    )
    .pluck()
  const isThere = db.prepare<[number], number>('SELECT 1 FROM long_payloads WHERE position = ?').pluck()
  const text = db
    .prepare<[number], string | null>(
      `SELECT group_concat(text, '' ORDER BY n) FROM pieces
       WHERE payload = (SELECT no FROM long_payloads WHERE position = ?)`,
    )
    .pluck()
  return {
    /** The highest number of a payload; 0: there is none. */
    last: (): number => last.get() ?? 0,
    /** Whether the event at a position has a long payload. */
    isAt: (position: number): boolean => isThere.get(position) !== undefined,
    /** The text of the long payload of the event at a position; undefined: the event has none. */
    textOf: (position: number): string | undefined => text.get(position) ?? undefined,
  }
}
