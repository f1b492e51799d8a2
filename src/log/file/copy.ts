// Copies a log file as it is at one moment, while a server may continue to write to it.
//
// The copy is made with SQLite's backup API, and with a read transaction that stays open until the end. Without that
// transaction, every commit of the server would restart the copy, and under load the copy would never end. `VACUUM
// INTO` makes an equally consistent copy, but it blocks this process until it is done and reports no progress. An
// append-only file has hardly any free space, which `VACUUM INTO` leaves out, so only a copy of a log with erased
// payloads is written again in this way. The server does not wait for the copy, but the WAL
// of the server grows until the copy is done. A commit of the server waits while the disk is busy, so the copy is synced
// after each few mebibytes, and not all at once at its end.

import { closeSync, existsSync, fdatasyncSync, openSync, renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { CannotStart } from '../../contract/cannot-start.ts'
import { renameSynced, syncFile } from '../../platform/files/plain-file.ts'
import { openReadOnly } from '../../platform/sqlite/open-read-only.ts'
import type { Storage } from '../storage.ts'
import { readingLong } from './in-words.ts'
import { openForWriting } from './sqlite-file.ts'

/** After this many copied pages of SQLite, the progress is reported and the event loop takes a turn. */
const pagesAtOnce = 1000

/** The name under which a copy is written without free space. */
export const compactOf = (to: string): string => `${to}-compact`

/** Writes a database again, without the space that erased payloads have left in its pages. */
const writeCompact = (copy: Database.Database, to: string): void => {
  closeSync(openSync(to, 'wx', 0o600))
  copy.prepare('VACUUM INTO ?').run(to)
}

const copy = async (
  from: string,
  to: string,
  onProgress: (done: number, total: number) => void,
): Promise<void> => {
  closeSync(openSync(to, 'wx', 0o600)) // the file has its permissions before it has any content
  const source = openReadOnly(from)
  const copied = openSync(to, 'r')
  try {
    source.exec('BEGIN')
    source.prepare('SELECT max(position) FROM events').get() // the first read fixes the moment of the copy
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        fdatasyncSync(copied)
        onProgress(totalPages - remainingPages, totalPages)
        return pagesAtOnce
      },
    })
  } finally {
    source.close()
    closeSync(copied)
  }
  // A single file without a WAL can be moved, and can be read where nothing can be written.
  const made = new Database(to)
  made.pragma('journal_mode = DELETE')
  const hasErased = made.prepare('SELECT 1 FROM erased LIMIT 1').get() !== undefined
  if (hasErased) writeCompact(made, compactOf(to))
  made.close()
  if (hasErased) renameSync(compactOf(to), to)
  syncFile(to)
}

/** Copies into a new file. See `copyLog` in storage.ts. */
export const copyLog: Storage['copyLog'] = (...given) => readingLong(copy(...given))

const noNewLog = (): string => {
  throw new CannotStart('the file holds no event log')
}

/** Throws CannotStart when a server would refuse to start with this file. */
export const mustBeUsable = (path: string): void => void openForWriting(path, noNewLog).close()

/**
 * Gives a copy the name of a log. SQLite would use the WAL of the old log for the new one. So the old WAL is removed, after
 * its content was copied into the old log. The old log stays until the rename.
 */
export const putInPlace = (copied: string, path: string): void => {
  if (existsSync(path)) {
    try {
      mustBeUsable(path)
    } catch {
      // The old log is damaged, which may be the reason for the restore.
    }
  }
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  renameSynced(copied, path)
}
