// Copies the WAL of a database into its file: with its syncs that takes as long as the disk wants, and nobody waits for it
// here. Writers and readers go on meanwhile.
import { parentPort, workerData } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import { type Inodes, inodesOf } from './inodes.ts'
import Sqlite from './library.ts'

const { path, inodes } = workerData as { path: string; inodes: Inodes }

/**
 * Opened once, and only when the files are those that are written to: pages of one file must not be copied into another
 * one that has its name now, and what is not there any more must not be made here.
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
    // What cannot be copied now is copied later; a damaged file is found where it is read.
  }
  parentPort?.postMessage('copied')
})
