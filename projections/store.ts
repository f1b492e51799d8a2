// The file of the read models. It can always be rebuilt from the log, for example when it belongs to another log.
import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import { renameSynced } from '../src/platform/plain-file.ts'
import { createCheckpoints, none } from '../src/platform/sqlite/checkpoints.ts'
import { rewrittenCopy } from '../src/platform/sqlite/rewritten-copy.ts'
import { isOutside, unusable } from '../src/platform/unusable.ts'
import { cronTables } from './cron/schema.ts'
import { envSessionTables } from './env-sessions/schema.ts'
import { type ReadStore, type Rewriting, renewable } from './sqlite/renewable.ts'
import { taskTables } from './tasks/schema.ts'
import { tokenTables } from './tokens/schema.ts'
import { webhookTables } from './webhooks/schema.ts'

export type { ReadStore } from './sqlite/renewable.ts'
export type { Statement } from './sqlite/statements.ts'

/** Raise this number whenever a table or its content changes: files with another number are removed and rebuilt. */
const readModelVersion = 17

const checkpoint = `
CREATE TABLE checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, leaf TEXT NOT NULL) STRICT;
`
const schema = [checkpoint, taskTables, envSessionTables, tokenTables, webhookTables, cronTables].join('')

const isCurrent = (db: Database.Database): boolean =>
  db.pragma('user_version', { simple: true }) === readModelVersion

/**
 * When the WAL has this many pages, the writing thread itself copies them into the file. Usually the checkpoint thread
 * copies them before that.
 */
const maxPages = 32_768

const isFile = (path: string): boolean => path !== '' && path !== ':memory:'

/**
 * Opens or creates the file. Only the user of the server may read it. The file is not mapped into memory: if a program
 * cuts a mapped file short, every process that reads it dies (SIGBUS).
 */
const open = (path: string): Database.Database => {
  if (isFile(path) && !existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma('cache_size = -65536')
  db.pragma(`wal_autocheckpoint = ${maxPages}`)
  return db
}

/** Removes the old file and makes an empty one. Throws CannotStart. */
const make = (path: string): Database.Database => {
  try {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
    const db = open(path)
    db.exec(schema)
    db.pragma(`user_version = ${readModelVersion}`)
    return db
  } catch (error) {
    throw unusable(path, error, { doing: 'made' })
  }
}

/**
 * Opens the file. A file of another version, or a damaged file, is replaced by an empty one, since the log holds
 * everything. A file that cannot be read for another reason stays: it says how many events the log had. Throws
 * CannotStart.
 */
const openOrMake = (path: string): Database.Database => {
  let db: Database.Database | undefined
  try {
    db = open(path)
    if (isCurrent(db)) return db
  } catch (error) {
    db?.close()
    if (isFile(path) && isOutside(error)) throw unusable(path, error)
    return make(path)
  }
  db.close()
  return make(path)
}

const createRewriting = (path: string): Rewriting => {
  const next = `${path}.new`
  return {
    copy: () => rewrittenCopy(path, next),
    // After a crash between these steps there is no file, and the next start makes it from the log.
    replace() {
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
      renameSynced(next, path) // a failure of the power must not bring the old file back
    },
  }
}

/** Opens the read models. `anew`: removes the old file first. Throws CannotStart. */
export const openReadStore = (path: string, anew = false): ReadStore =>
  renewable(
    () => (anew ? make(path) : openOrMake(path)),
    () => make(path),
    isFile(path) ? createCheckpoints(path) : none,
    isFile(path) ? createRewriting(path) : undefined,
  )
