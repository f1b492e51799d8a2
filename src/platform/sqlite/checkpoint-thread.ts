// The thread that copies the WAL of a database into its file. The syncs of the disk may take long, but no writer or
// reader waits for this thread.
import { parentPort, workerData } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { type Inodes, inodesOf } from './inodes.ts'
import Sqlite from './library.ts'

const { path, inodes } = workerData as { path: string; inodes: Inodes }

/**
 * The connection of this thread. It is opened once, and only if the files are still those that the server writes: pages
 * of one file must not be copied into another file with the same name, and a missing file must not be created here.
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
