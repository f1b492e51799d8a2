// Copies what was written into the file of the read models: with its syncs that takes as long as the disk wants, and
// nobody waits for it here. Writers and readers go on meanwhile.
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'

const { path } = workerData as { path: string }

parentPort?.on('message', () => {
  try {
    // Opened each time: the file may have been made again. One that is not there any more is not made here.
    const db = new Database(path, { fileMustExist: true })
    try {
      db.pragma('wal_checkpoint(PASSIVE)')
    } finally {
      db.close()
    }
  } catch {
    // What cannot be copied now is copied later; a damaged file is found where it is read.
  }
  parentPort?.postMessage('copied')
})
