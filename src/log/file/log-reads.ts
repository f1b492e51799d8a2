// Reads a log file for another process than the one that writes it.
import type { LogReads } from '../storage.ts'
import { later, reading } from './in-words.ts'
import { openForReading } from './sqlite-file.ts'
import { sqliteReader } from './sqlite-reader.ts'

/** Throws CannotStart. */
export const openReads = (path: string): LogReads => {
  const db = openForReading(path)
  const reader = sqliteReader(path)
  const inStreams = 'FROM events e JOIN streams s ON s.no = e.stream_no WHERE e.position <= ?'
  const newest = db.prepare<[], number>('SELECT coalesce(max(position), 0) FROM events').pluck()
  const page = db.prepare<[number, number], { no: number; id: string }>(
    'SELECT no, id FROM streams WHERE no > ? ORDER BY no LIMIT ?',
  )
  const count = db.prepare<[number], number>(`SELECT count(*) ${inStreams}`).pluck()
  const hole = db
    .prepare<[number], number>(
      `SELECT n FROM (SELECT position, row_number() OVER (ORDER BY position) AS n ${inStreams})
       WHERE position <> n LIMIT 1`,
    )
    .pluck()
  return {
    ...reader,
    head: () => reading(() => newest.get() ?? 0),
    streamsAfter: later((no, limit) => page.all(no, limit)),
    // The count comes first, since it needs only an index.
    firstHole: later(end => ((count.get(end) ?? 0) === end ? undefined : (hole.get(end) ?? end))),
    async close() {
      db.close()
      await reader.close()
    },
  }
}
