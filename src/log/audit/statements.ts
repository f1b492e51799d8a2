// The SQL of the audit trail, prepared once for its connection.
import type Database from 'better-sqlite3'
import { erasedRangesOf } from '../erased-ranges.ts'
import { inHeader } from '../schema.ts'
import type { Row } from '../store.ts'

/** The first or the last event of a stream. */
export type Place = { position: number; revision: number; header: string; leaf: string }

const columns = 'e.position, s.id AS stream, e.revision, e.header, e.payload, e.salt, e.leaf'
const events = 'FROM events e JOIN streams s ON s.no = e.stream_no'

/**
 * The text with which a header names its owner; `ownerPage` searches for this text. No value in a header can contain
 * the text, since quotes inside values are escaped.
 */
export const ownedBy = (owner: string): string => `,"owner":${JSON.stringify(owner)},"session_id":`

export const prepareStatements = (db: Database.Database) => {
  const place = 'SELECT position, revision, header, leaf FROM events WHERE stream_no = ?'
  const ofOwner = `SELECT stream_no FROM events WHERE revision = 0 AND ${inHeader('owner')} = ? AND stream_no > ?
    AND stream_no <= ?`
  return {
    page: db.prepare<[number, number, number], Row>(
      `SELECT ${columns} ${events} WHERE e.position > ? AND e.position <= ? ORDER BY e.position LIMIT ?`,
    ),
    streamPage: db.prepare<[number, number, number, number], Row>(
      `SELECT ${columns} ${events}
       WHERE e.stream_no = ? AND e.revision > ? AND e.position <= ? ORDER BY e.revision LIMIT ?`,
    ),
    /** The `stream` of a row is null when the file has no such stream. */
    ownerPage: db.prepare<[number, number, string], Row>(
      `SELECT ${columns} FROM events e LEFT JOIN streams s ON s.no = e.stream_no
       WHERE e.position > ? AND e.position <= ? AND instr(e.header, ?) > 0 ORDER BY e.position`,
    ),
    streamNo: db.prepare<[string], number>('SELECT no FROM streams WHERE id = ?').pluck(),
    streamId: db.prepare<[number], string>('SELECT id FROM streams WHERE no = ?').pluck(),
    lastStreamNo: db.prepare<[], number>('SELECT coalesce(max(stream_no), 0) FROM events').pluck(),
    revisionAt: db
      .prepare<[number, number], number>(
        'SELECT coalesce(max(revision), -1) FROM events WHERE stream_no = ? AND position <= ?',
      )
      .pluck(),
    positionOf: db
      .prepare<[number, number], number>('SELECT position FROM events WHERE stream_no = ? AND revision = ?')
      .pluck(),
    payloadAt: db.prepare<[number], number>('SELECT no FROM long_payloads WHERE position = ?').pluck(),
    piece: db
      .prepare<[number, number], string>('SELECT text FROM pieces WHERE payload = ? AND n = ?')
      .pluck(),
    erasedBy: erasedRangesOf(db),
    /** The numbers of the streams of an owner after a stream, up to another one. */
    streamsOfOwner: db
      .prepare<[string, number, number, number], number>(`${ofOwner} ORDER BY stream_no LIMIT ?`)
      .pluck(),
    /** The same, newest first. */
    newestOfOwner: db
      .prepare<[string, number, number, number], number>(`${ofOwner} ORDER BY stream_no DESC LIMIT ?`)
      .pluck(),
    /** The numbers of the streams after a stream, up to another one: of an owner, or with a text in their names. */
    streamsOfOwnerTo: db.prepare<[string, number, number], number>(ofOwner).pluck(),
    streamsNamedTo: db
      .prepare<[number, number, string], number>(
        'SELECT no FROM streams WHERE no > ? AND no <= ? AND instr(lower(id), ?) > 0',
      )
      .pluck(),
    firstOf: db.prepare<[number], Place>(`${place} ORDER BY revision LIMIT 1`),
    /** The last event of a stream up to a position. */
    lastOf: db.prepare<[number, number], Place>(`${place} AND position <= ? ORDER BY revision DESC LIMIT 1`),
  }
}
export type Statements = ReturnType<typeof prepareStatements>
