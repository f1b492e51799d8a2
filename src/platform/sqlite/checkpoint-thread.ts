// Copies the WAL of a database into its file: with its syncs that takes as long as the disk wants, and nobody waits for it
// here. Writers and readers go on meanwhile.
import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'

const { path, inode } = workerData as { path: string; inode: number }

/**
 * Opened once: by its name another file could be found later, into which this one's pages must not be copied. One that
 * is not there any more is not made here.
 */
let db: Database.Database | undefined
const opened = (): Database.Database => {
  db ??= new Database(path, { fileMustExist: true })
  if (statSync(path).ino !== inode) throw new Error(`${path} was replaced`)
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
