// Baselines with nothing but SQLite and the disk. Rows: they have the columns of the log and are made beforehand,
// without an index, a check or a hash; they are committed in batches with the settings of the log. Syncs: 4 KiB are
// written in place and synced, one after the other.

import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import Database from 'better-sqlite3'

export type RawRow = [
  streamNo: number,
  revision: number,
  header: string,
  payload: string,
  salt: string,
  leaf: string,
]

export const openRaw = (path: string) => {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.pragma('cache_size = -65536')
  db.exec(
    `CREATE TABLE events (position INTEGER PRIMARY KEY, stream_no INTEGER NOT NULL, revision INTEGER NOT NULL,
       header TEXT NOT NULL, payload TEXT, salt TEXT NOT NULL, leaf TEXT NOT NULL) STRICT`,
  )
  const insert = db.prepare(
    'INSERT INTO events (position, stream_no, revision, header, payload, salt, leaf) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  let position = 0
  const commit = db.transaction((rows: RawRow[], from: number, size: number) => {
    for (let n = from; n < from + size; n++) {
      const row = rows[n % rows.length]
      if (row !== undefined) insert.run(++position, row[0], row[1], row[2], row[3], row[4], row[5])
    }
  })
  return {
    /** Inserts `events` rows, `batch` in each transaction. Returns the events per second. */
    insert(rows: RawRow[], events: number, batch: number): number {
      const began = performance.now()
      for (let done = 0; done < events; done += batch) commit.immediate(rows, done, batch)
      return (events / (performance.now() - began)) * 1000
    },
    close: () => void db.close(),
  }
}

const block = Buffer.alloc(4096, 1)
const blocks = 1024

/** Opens a file all of whose blocks are allocated, so that a sync need not store a new length. */
export const openSyncLoop = (path: string) => {
  const file = openSync(path, 'w')
  for (let n = 0; n < blocks; n++) writeSync(file, block, 0, block.length, n * block.length)
  fdatasyncSync(file)
  let next = 0
  return {
    /** Writes and syncs `times` times. Returns the syncs per second. */
    run(times: number): number {
      const began = performance.now()
      for (let n = 0; n < times; n++) {
        writeSync(file, block, 0, block.length, (next++ % blocks) * block.length)
        fdatasyncSync(file)
      }
      return (times / (performance.now() - began)) * 1000
    },
    close: () => closeSync(file),
  }
}
