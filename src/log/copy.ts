// Copies a log file as it is at one moment, while a server may continue to write to it.
//
// It uses SQLite's backup API with a read transaction that stays open until the end. Without that transaction, every
// commit of the server would restart the copy, and under load it would never end. `VACUUM INTO` is as consistent, but
// it blocks this process until it is done, reports no progress, and removes gaps, which an append-only file hardly has.
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

/** Copies into a new file, which is on the disk when this resolves. Throws the errors of SQLite and of the system. */
export const copyLog = async (
  from: string,
  to: string,
  onProgress: (done: number, total: number) => void,
): Promise<void> => {
  closeSync(openSync(to, 'wx', 0o600)) // created with its permissions before it has any content
  const source = openFileReadOnly(from)
  try {
    source.exec('BEGIN')
    source.prepare('SELECT max(position) FROM events').get() // the first read fixes the moment of the copy
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages - remainingPages, totalPages)
        return pagesAtOnce
      },
    })
  } finally {
    source.close()
  }
  // A single file without a WAL can be moved, and can be read where nothing can be written.
  const copy = new Database(to)
  copy.pragma('journal_mode = DELETE')
  copy.close()
  syncFile(to)
}
