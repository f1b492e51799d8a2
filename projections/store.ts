// The file of the read models. It can always be rebuilt from the log, for example when it belongs to another log.
import {
  close,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import Database from 'better-sqlite3'
import { syncFileLater, syncFolder } from '../src/platform/files/plain-file.ts'
import { isOutside, unusable } from '../src/platform/files/unusable.ts'
import { createCheckpoints, none } from '../src/platform/sqlite/checkpoints.ts'
import { rewrittenCopy } from '../src/platform/sqlite/rewritten-copy.ts'
import { cronTables } from './cron/schema.ts'
import { envSessionTables } from './env-sessions/schema.ts'
import { erasingTable, tracesTable } from './erasing/schema.ts'
import { requestTable } from './requests/schema.ts'
import { type ReadStore, type Rewriting, renewable } from './sqlite/renewable.ts'
import { taskTables } from './tasks/schema.ts'
import { tokenTables } from './tokens/schema.ts'
import { webhookTables } from './webhooks/schema.ts'

export type { Copy, ReadStore } from './sqlite/renewable.ts'
export type { Statement } from './sqlite/statements.ts'

/** Raise this number whenever the content of the tables changes although the tables stay the same. */
const contentVersion = 25

const checkpoint = `
CREATE TABLE checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), position INTEGER NOT NULL, leaf TEXT NOT NULL) STRICT;
`
const schema = [
  checkpoint,
  erasingTable,
  tracesTable,
  taskTables,
  envSessionTables,
  tokenTables,
  webhookTables,
  cronTables,
  requestTable,
].join('')

/** Files with another number are removed and rebuilt. It follows from the text of the tables, so each change counts. */
const readModelVersion = crc32(`${contentVersion}${schema}`) | 0 // SQLite keeps a signed number of 32 bits

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

/**
 * Opens a copy that nobody else uses. It has no journal and is not synced: when something fails, it is removed, and
 * before it is used, it is synced as a whole.
 */
const openCopy = (path: string): Database.Database => {
  const db = new Database(path, { fileMustExist: true })
  db.pragma('journal_mode = OFF')
  db.pragma('synchronous = OFF')
  return db
}

/** Closes a file in a thread: when nobody else has it open and its name is gone, its pages are freed, which takes long. */
const closeLater = promisify(close)

/** The name of the copies of a file begins with this. */
const copyOf = (path: string): string => `${path}.new-`
let copies = 0

/** Removes copies that a crash has left. */
const removeCopies = (path: string): void => {
  const [folder, start] = [dirname(path), basename(copyOf(path))]
  for (const name of readdirSync(folder))
    if (name.startsWith(start)) rmSync(join(folder, name), { force: true })
}

const createRewriting = (path: string): (() => Rewriting) => {
  /**
   * The file that is about to be replaced. It stays open when it was not replaced: a process that closes any descriptor of
   * a file loses the locks of all of its connections to the file.
   */
  let old: number | undefined
  return () => {
    // A thread that makes a copy cannot be stopped. It may still write when the file has a new user, who makes another copy.
    const next = copyOf(path) + ++copies
    return {
      make: () => rewrittenCopy(path, next),
      hold() {
        if (old !== undefined && fstatSync(old).ino === statSync(path).ino) return
        if (old !== undefined) closeSync(old)
        old = openSync(path, 'r')
      },
      open: () => openCopy(next),
      sync: () => syncFileLater(next),
      // After a crash between these steps there is no file, and the next start makes it from the log. SQLite removes the
      // WAL by its name when the last connection closes, so it closes before the new file is there.
      replace(close) {
        for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
        close()
        renameSync(next, path)
      },
      async settle() {
        if (old !== undefined) await closeLater(old)
        old = undefined
        await syncFolder(dirname(path))
      },
      discard: () => rmSync(next, { force: true }),
    }
  }
}

/** Opens the read models. `anew`: removes the old file first. Throws CannotStart. */
export const openReadStore = (path: string, anew = false): ReadStore => {
  if (isFile(path)) removeCopies(path)
  return renewable(
    () => (anew ? make(path) : openOrMake(path)),
    () => make(path),
    isFile(path) ? createCheckpoints(path) : none,
    isFile(path) ? createRewriting(path) : undefined,
  )
}
