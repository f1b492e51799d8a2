// The one write connection: hashes, inserts and commits whole batches. Knows nothing of events beyond their text.
import type Database from 'better-sqlite3'
import { closeHeader, digestOf, leafOf } from './leaf.ts'
import type { Batch } from './store.ts'

export type Writer = { write(batch: Batch): void; close(): void }

export const sqliteWriter = (db: Database.Database): Writer => {
  const insertStream = db.prepare('INSERT INTO streams (no, id) VALUES (?, ?)')
  const insertEvent = db.prepare(
    'INSERT INTO events (position, stream_no, revision, header, payload, salt, leaf) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const write = db.transaction(({ rows, newStreams }: Batch) => {
    for (const { no, id } of newStreams) insertStream.run(no, id)
    for (const { position, streamNo, revision, open, payload, salt } of rows) {
      const header = closeHeader(open, digestOf(salt, payload))
      insertEvent.run(position, streamNo, revision, header, payload, salt, leafOf(header))
    }
  })
  return {
    write: batch => {
      write.immediate(batch)
    },
    close: () => {
      db.close()
    },
  }
}
