// Reads a log file on a connection of its own. In WAL mode, this connection sees every commit and blocks no other
// connection.
import { erasedRangesOf } from './erased-ranges.ts'
import { longPayloadsOf } from './long-text.ts'
import { pageOf } from './reading.ts'
import { inHeader } from './schema.ts'
import { openForReading } from './sqlite-file.ts'
import type { Row, Store } from './store.ts'

export type Reader = Omit<
  Store,
  | 'write'
  | 'writePiece'
  | 'dropPieces'
  | 'noteErasure'
  | 'destroy'
  | 'wipe'
  | 'openLong'
  | 'reopen'
  | 'fault'
  | 'checkpoint'
>

const columns = 'e.position, s.id, e.revision, e.header, e.payload, e.salt, e.leaf'
type Columns = [number, string, number, string, string | null, string | null, string]
const rowOf = ([position, stream, revision, header, payload, salt, leaf]: Columns): Row => ({
  position,
  stream,
  revision,
  header,
  payload,
  salt,
  leaf,
})

function* rowsOf(found: Iterable<Columns>): Generator<Row> {
  for (const columns of found) yield rowOf(columns)
}

const mapped = (row: Columns | undefined) => (row === undefined ? undefined : rowOf(row))

export const sqliteReader = (path: string): Reader => {
  const db = openForReading(path)
  const page = db
    .prepare<[number, number], Columns>(
      `SELECT ${columns} FROM events e JOIN streams s ON s.no = e.stream_no
       WHERE e.position > ? ORDER BY e.position LIMIT ?`,
    )
    .raw()
  const streamPage = db
    .prepare<[string, number, number], Columns>(
      `SELECT ${columns} FROM streams s JOIN events e ON e.stream_no = s.no
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
    .prepare<[], Columns>(
      `SELECT ${columns} FROM events e JOIN streams s ON s.no = e.stream_no ORDER BY e.position DESC LIMIT 1`,
    )
    .raw()
  const lastOf = db
    .prepare<[string], Columns>(
      `SELECT ${columns} FROM streams s JOIN events e ON e.stream_no = s.no
       WHERE s.id = ? ORDER BY e.revision DESC LIMIT 1`,
    )
    .raw()
  const lastStreamNo = db.prepare<[], number>('SELECT coalesce(max(no), 0) FROM streams').pluck()
  const long = longPayloadsOf(db)
  const leafAt = db.prepare<[number], string>('SELECT leaf FROM events WHERE position = ?').pluck()
  const logId = db.prepare<[], string>("SELECT value FROM facts WHERE key = 'log_id'").pluck()
  return {
    page: (after, limit) => pageOf(rowsOf(page.iterate(after, limit))),
    streamPage: (stream, after, limit) => pageOf(rowsOf(streamPage.iterate(stream, after, limit))),
    sessionStreams: (session, after, limit) => sessionStreams.all(session, after, limit),
    streamPositions: (no, after, limit) => streamPositions.all(no, after, limit),
    headOf: stream => headOf.get(stream),
    last: () => mapped(last.get()),
    lastOf: stream => mapped(lastOf.get(stream)),
    lastStreamNo: () => lastStreamNo.get() ?? 0,
    lastPayload: long.last,
    longPayload: long.textOf,
    erasedBy: erasedRangesOf(db),
    leafAt: position => leafAt.get(position),
    logId: () => logId.get() ?? '',
    async close() {
      db.close()
    },
  }
}
