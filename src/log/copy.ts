// A copy of a log file as it is at one moment, while a server may go on writing to it.
//
// SQLite's backup API with a read transaction that stays open until the end. Without one, every commit of the server
// would make the copy begin anew, and under load it would never end; `VACUUM INTO` is as consistent, but holds up
// this process until it is through, tells nobody how far it is, and packs what an append-only file hardly has: gaps.
// The server waits for nothing; its WAL grows for as long as the copying takes.
import { closeSync, fsyncSync, openSync } from 'node:fs'
import Database from '../platform/sqlite/library.ts'
import { openFileReadOnly } from './read-only.ts'

const pagesAtOnce = 1000

export const syncFile = (path: string): void => {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

/** Copies into a new file; it is on the disk when it resolves. Throws what SQLite and the system say. */
export const copyLog = async (
  from: string,
  to: string,
  onProgress: (done: number, total: number) => void,
): Promise<void> => {
  closeSync(openSync(to, 'wx', 0o600)) // made with its rights before anything is in it
  const source = openFileReadOnly(from)
  try {
    source.exec('BEGIN')
    source.prepare('SELECT max(position) FROM events').get() // the first read decides which moment it is
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages - remainingPages, totalPages)
        return pagesAtOnce
      },
    })
  } finally {
    source.close()
  }
  // One file by itself: it can be moved, and read where nothing can be written.
  const copy = new Database(to)
  copy.pragma('journal_mode = DELETE')
  copy.close()
  syncFile(to)
}
