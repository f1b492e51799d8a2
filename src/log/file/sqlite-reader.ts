// Reads a log file on a connection of its own. In WAL mode, this connection sees every commit and blocks no other
// connection.

import { pageOf } from '../reading.ts'
import type { StoreReads } from '../store.ts'
import { columns, type NamedColumns, namedRow, namedRows } from './columns.ts'
import { erasedRangesOf } from './erasing/erased-ranges.ts'
import { reading } from './in-words.ts'
import { longPayloadsOf } from './long/long-text.ts'
import { inHeader } from './schema.ts'
import { openForReading } from './sqlite-file.ts'

const named = `${columns}, s.id`
const mapped = (row: NamedColumns | undefined) => (row === undefined ? undefined : namedRow(row))

export const sqliteReader = (path: string): StoreReads => {
  const db = openForReading(path)
  const page = db
    .prepare<[number, number], NamedColumns>(
      `SELECT ${named} FROM events e JOIN streams s ON s.no = e.stream_no
       WHERE e.position > ? ORDER BY e.position LIMIT ?`,
    )
    .raw()
  const streamPage = db
    .prepare<[string, number, number], NamedColumns>(
      `SELECT ${named} FROM streams s JOIN events e ON e.stream_no = s.no
       WHERE s.id = ? AND e.revision > ? ORDER BY e.revision LIMIT ?`,
    )
    .raw()
  const sessionStreams = db
    .prepare<[string, number, number], number>(
      `SELECT stream_no FROM events WHERE revision = 0 AND ${inHeader('session_id')} = ? AND stream_no > ?
       ORDER BY stream_no LIMIT ?`,
    )
    .pluck()
  const streamPositions = db
    .prepare<[number, number, number], number>(
      'SELECT position FROM events WHERE stream_no = ? AND revision > ? ORDER BY revision LIMIT ?',
    )
    .pluck()
  const headOf = db.prepare<[string], { no: number; revision: number }>(
    `SELECT s.no, coalesce((SELECT max(revision) FROM events WHERE stream_no = s.no), -1) AS revision
     FROM streams s WHERE s.id = ?`,
  )
  const last = db
    .prepare<[], NamedColumns>(
      `SELECT ${named} FROM events e JOIN streams s ON s.no = e.stream_no ORDER BY e.position DESC LIMIT 1`,
    )
    .raw()
  const lastOf = db
    .prepare<[string], NamedColumns>(
      `SELECT ${named} FROM streams s JOIN events e ON e.stream_no = s.no
       WHERE s.id = ? ORDER BY e.revision DESC LIMIT 1`,
    )
    .raw()
  const lastStreamNo = db.prepare<[], number>('SELECT coalesce(max(no), 0) FROM streams').pluck()
  const long = longPayloadsOf(db)
  const leafAt = db.prepare<[number], string>('SELECT leaf FROM events WHERE position = ?').pluck()
  const logId = db.prepare<[], string>("SELECT value FROM facts WHERE key = 'log_id'").pluck()
  const erasedBy = erasedRangesOf(db)
  return {
    page: (after, limit) => reading(() => pageOf(namedRows(page.iterate(after, limit)))),
    streamPage: (stream, after, limit) =>
      reading(() => pageOf(namedRows(streamPage.iterate(stream, after, limit)))),
    sessionStreams: (session, after, limit) => reading(() => sessionStreams.all(session, after, limit)),
    streamPositions: (no, after, limit) => reading(() => streamPositions.all(no, after, limit)),
    headOf: stream => reading(() => headOf.get(stream)),
    last: () => reading(() => mapped(last.get())),
    lastOf: stream => reading(() => mapped(lastOf.get(stream))),
    lastStreamNo: () => reading(() => lastStreamNo.get() ?? 0),
    lastPayload: () => reading(long.last),
    longPayload: position => reading(() => long.textOf(position)),
    erasedBy: position => reading(() => erasedBy(position)),
    leafAt: position => reading(() => leafAt.get(position)),
    logId: () => reading(() => logId.get() ?? ''),
    async close() {
      db.close()
    },
  }
}
