// Copies the WAL of a database into its file. The syncs of the disk may take long, but in this thread nothing waits for
// them: writers and readers continue.
import { parentPort, workerData } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { type Inodes, inodesOf } from './inodes.ts'
import Sqlite from './library.ts'

const { path, inodes } = workerData as { path: string; inodes: Inodes }

/**
 * Opened once, and only when the files are those that the server writes: pages of one file must not be copied into
 * another file that now has its name, and a missing file must not be created here.
 */
let db: Database.Database | undefined
const opened = (): Database.Database => {
  if (db !== undefined) return db
  const now = inodesOf(path)
  if (now.file !== inodes.file || now.wal !== inodes.wal) throw new Error(`${path} or its WAL was replaced`)
  db = new Sqlite(path, { fileMustExist: true })
  return db
}

parentPort?.on('message', () => {
  try {
    opened().pragma('wal_checkpoint(PASSIVE)')
  } catch {
    // Pages that cannot be copied now are copied later. Readers notice a damaged file.
  }
  parentPort?.postMessage('copied')
})
