// The one write connection: it hashes, inserts and commits whole batches. It handles events only as texts.
import type Database from 'better-sqlite3'
import { closeHeader, digestOf, leafOf } from './leaf.ts'
import type { PackedBatch } from './store.ts'
import { watchFile } from './watch.ts'

export type Writer = {
  write(batch: PackedBatch): void
  /** Copies everything from the WAL into the main file, and syncs that file. */
  secure(): void
  close(): void
}

export const sqliteWriter = (db: Database.Database): Writer => {
  const insertStream = db.prepare('INSERT INTO streams (no, id) VALUES (?, ?)')
  const insertEvent = db.prepare(
    'INSERT INTO events (position, stream_no, revision, header, payload, salt, leaf) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  // Each write checks the WAL: if somebody has cut it short, SQLite would write on behind the cut, and later read
  // whatever is in the hole.
  const wal = watchFile(`${db.name}-wal`, true)
  let position = db.prepare<[], number>('SELECT coalesce(max(position), 0) FROM events').pluck().get() ?? 0

  const insert = db.transaction(({ first, streamNos, revisions, texts, newStreams }: PackedBatch) => {
    for (const { no, id } of newStreams) insertStream.run(no, id)
    let text = 0
    for (let n = 0; n < streamNos.length; n++) {
      const open = texts[text++] ?? ''
      const payload = texts[text++] ?? ''
      const salt = texts[text++] ?? ''
      const header = closeHeader(open, digestOf(salt, payload))
      insertEvent.run(first + n, streamNos[n], revisions[n], header, payload, salt, leafOf(header))
    }
  })
  return {
    write(batch) {
      // When a batch has failed, later batches that were already sent must not be written: they would leave a hole.
      if (batch.first !== position + 1) throw new Error('the batch before this one was not written')
      const trouble = wal.trouble()
      if (trouble !== undefined) throw new Error(`${db.name}-wal ${trouble}`)
      insert.immediate(batch)
      position += batch.streamNos.length
      wal.trouble() // records the new length
    },
    secure() {
      db.pragma('wal_checkpoint(TRUNCATE)')
      wal.emptied()
    },
    close() {
      db.close()
    },
  }
}
