// The rows of the audit trail, on a connection of their own.
import { pageOf } from '../reading.ts'
import type { AuditRows, Place } from '../storage.ts'
import { type Columns, columns, rowsOf } from './columns.ts'
import { erasedRangesOf } from './erasing/erased-ranges.ts'
import { later } from './in-words.ts'
import { inHeader } from './schema.ts'
import { openForReading } from './sqlite-file.ts'

const named = `SELECT ${columns}, s.id FROM events e`
const joined = `${named} JOIN streams s ON s.no = e.stream_no`
const place = 'SELECT position, revision, header, leaf FROM events WHERE stream_no = ?'
const ofOwner = `SELECT stream_no FROM events WHERE revision = 0 AND ${inHeader('owner')} = ? AND stream_no > ?
  AND stream_no <= ?`

/** Throws CannotStart. */
export const openAuditRows = (path: string): AuditRows => {
  const db = openForReading(path)
  const page = db
    .prepare<[number, number, number], Columns>(
      `${joined} WHERE e.position > ? AND e.position <= ? ORDER BY e.position LIMIT ?`,
    )
    .raw()
  const streamPage = db
    .prepare<[number, number, number, number], Columns>(
      `${joined} WHERE e.stream_no = ? AND e.revision > ? AND e.position <= ? ORDER BY e.revision LIMIT ?`,
    )
    .raw()
  const ownerPage = db
    .prepare<[number, number, string], Columns>(
      `${named} LEFT JOIN streams s ON s.no = e.stream_no
       WHERE e.position > ? AND e.position <= ? AND ${inHeader('owner')} = ? ORDER BY e.position`,
    )
    .raw()
  const piece = db
    .prepare<[number, number], string>(
      'SELECT text FROM pieces WHERE payload = (SELECT no FROM long_payloads WHERE position = ?) AND n = ?',
    )
    .pluck()
  const streamNo = db.prepare<[string], number>('SELECT no FROM streams WHERE id = ?').pluck()
  const streamId = db.prepare<[number], string>('SELECT id FROM streams WHERE no = ?').pluck()
  const lastStreamNo = db.prepare<[], number>('SELECT coalesce(max(stream_no), 0) FROM events').pluck()
  const revisionAt = db
    .prepare<[number, number], number>(
      'SELECT coalesce(max(revision), -1) FROM events WHERE stream_no = ? AND position <= ?',
    )
    .pluck()
  const positionOf = db
    .prepare<[number, number], number>('SELECT position FROM events WHERE stream_no = ? AND revision = ?')
    .pluck()
  const firstOf = db.prepare<[number], Place>(`${place} ORDER BY revision LIMIT 1`)
  const lastOf = db.prepare<[number, number], Place>(
    `${place} AND position <= ? ORDER BY revision DESC LIMIT 1`,
  )
  const inOrder = (order: string) =>
    db
      .prepare<[string, number, number, number], number>(`${ofOwner} ORDER BY stream_no ${order} LIMIT ?`)
      .pluck()
  const [oldest, newest] = [inOrder('ASC'), inOrder('DESC')]
  const ownersAll = db.prepare<[string, number, number], number>(ofOwner).pluck()
  const namedAll = db
    .prepare<[number, number, string], number>(
      'SELECT no FROM streams WHERE no > ? AND no <= ? AND instr(lower(id), ?) > 0',
    )
    .pluck()
  return {
    page: later((after, end, limit) => pageOf(rowsOf(page.iterate(after, end, limit)))),
    streamPage: later((no, after, end, limit) => pageOf(rowsOf(streamPage.iterate(no, after, end, limit)))),
    ownerPage: later((owner, after, end) => pageOf(rowsOf(ownerPage.iterate(after, end, owner)))),
    piece: later((position, n) => piece.get(position, n)),
    erasedBy: later(erasedRangesOf(db)),
    streamNo: later(stream => streamNo.get(stream)),
    streamId: later(no => streamId.get(no)),
    lastStreamNo: later(() => lastStreamNo.get() ?? 0),
    revisionAt: later((no, position) => revisionAt.get(no, position) ?? -1),
    positionOf: later((no, revision) => positionOf.get(no, revision)),
    firstOf: later(no => firstOf.get(no)),
    lastOf: later((no, end) => lastOf.get(no, end)),
    streamsOfOwner: later((owner, { from, to }, limit, isNewestFirst) =>
      (isNewestFirst ? newest : oldest).all(owner, from, to, limit),
    ),
    streamsNamed: later((text, { from, to }) => {
      const both = new Set([...namedAll.all(from, to, text.toLowerCase()), ...ownersAll.all(text, from, to)])
      return [...both].sort((a, b) => a - b)
    }),
    async close() {
      db.close()
    },
  }
}
