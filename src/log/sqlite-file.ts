// Opening a log file, the same way for the writer, the readers and the command line: what is checked, what is
// refused, and with which words.
import { existsSync, statSync } from 'node:fs'
import pathOf from 'node:path'
import type Database from 'better-sqlite3'
import { CannotStart } from '../contract/cannot-start.ts'
import { forbiddenAt } from '../platform/permission.ts'
import { whatStandsAt } from '../platform/plain-file.ts'
import Sqlite from '../platform/sqlite/library.ts'
import { digestOf, leafOf } from './leaf.ts'
import { schema } from './schema.ts'
import { checkWal, smallestDatabase, unfit } from './wal.ts'

const schemaVersion = 1
/** `rpri`: says in the file itself that it is ours. */
const applicationId = 0x72707269
const oldestSqlite = '3.51.3' // earlier ones can lose a WAL that is reset while it is read
const tailChecked = 256
/** Pages in the WAL from which the thread that writes copies them itself. */
const mostPages = 8192

const isOlder = (version: string, than: string): boolean => {
  const [a, b] = [version, than].map(text => text.split('.').map(Number))
  for (let i = 0; i < 3; i++) if (a?.[i] !== b?.[i]) return (a?.[i] ?? 0) < (b?.[i] ?? 0)
  return false
}

/** Words for a failed open, whatever SQLite called it. */
const explained = (path: string, error: unknown): CannotStart => {
  if (error instanceof CannotStart) return error
  const { code = '', message: why } = error as { code?: string; message: string }
  const forbidden = forbiddenAt(path) ?? forbiddenAt(pathOf.dirname(path))
  if (forbidden !== undefined) return new CannotStart(`${path} cannot be opened: ${forbidden}`)
  if (/^(E[A-Z]|SQLITE_(FULL|IOERR|CANTOPEN|BUSY|READONLY|PERM))/.test(code)) {
    return new CannotStart(
      `${path} cannot be opened (${why}): check that the disk has room and the file may be written`,
    )
  }
  return new CannotStart(`${path} is damaged or is no event log (${why}): restore it from a backup`)
}

const checkTail = (db: Database.Database, path: string): void => {
  const rows = db
    .prepare<
      [number],
      { position: number; header: string; payload: string | null; salt: string; leaf: string }
    >('SELECT position, header, payload, salt, leaf FROM events ORDER BY position DESC LIMIT ?')
    .all(tailChecked)
  let expected = rows[0]?.position
  for (const { position, header, payload, salt, leaf } of rows) {
    const sound =
      position === expected &&
      leaf === leafOf(header) &&
      (payload === null || header.endsWith(`"digest":"${digestOf(salt, payload)}"}`))
    if (!sound) {
      throw new CannotStart(`${path} is damaged at position ${expected}: restore it from a backup`)
    }
    expected = position - 1
  }
}

/** Made with the log, never changed. */
const checkId = (db: Database.Database): void => {
  const id = db.prepare("SELECT value FROM facts WHERE key = 'log_id'").pluck().get()
  if (typeof id !== 'string') throw new Error('it has no id')
}

/** Whose file it is, before anything in it is changed: true for an empty one. */
const identify = (db: Database.Database, path: string): boolean => {
  const version = db.pragma('user_version', { simple: true }) as number
  const application = db.pragma('application_id', { simple: true }) as number
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
  if (tables === 0 && version === 0) return true
  if (application !== applicationId) throw new CannotStart(`${path} is no event log: choose another DATA_DIR`)
  if (version > schemaVersion) {
    throw new CannotStart(`${path} was written by a newer reprise (schema ${version}): run that version`)
  }
  return false
}

const make = (db: Database.Database, logId: string): void => {
  const create = db.transaction(() => {
    db.exec(schema)
    db.prepare("INSERT INTO facts (key, value) VALUES ('log_id', ?)").run(logId)
    db.pragma(`application_id = ${applicationId}`)
    db.pragma(`user_version = ${schemaVersion}`)
  })
  create()
}

/** Throws CannotStart for what SQLite would wait for, or write to: a FIFO, a folder, a device. */
export const mustBePlain = (path: string): void => {
  for (const file of ['', '-wal', '-shm'].map(suffix => path + suffix)) {
    const found = whatStandsAt(file)
    if (found === undefined || found === 'file') continue
    throw new CannotStart(`${file} is a ${found}, and must be a file: move it away`)
  }
}

/** What can be seen of a file without writing: closing this connection moves nothing out of the WAL. */
const lookInto = (path: string): void => {
  mustBePlain(path)
  const missing = checkWal(path)
  if (!existsSync(path)) return
  const db = new Sqlite(path, { readonly: true })
  try {
    if (identify(db, path)) return
    // A page that was taken and given back within one commit is never written.
    if (missing > Number(db.pragma('freelist_count', { simple: true }))) throw unfit(path)
    checkId(db)
    checkTail(db, path)
  } finally {
    db.close()
  }
}

/** Whether there is a log, or anything else that is a database. */
export const isBegun = (path: string): boolean => existsSync(path) && statSync(path).size >= smallestDatabase

/** Opens the write connection; makes the schema in a new file; throws CannotStart. */
export const openForWriting = (path: string, newLogId: () => string): Database.Database => {
  let db: Database.Database | undefined
  try {
    lookInto(path)
    db = new Sqlite(path)
    const version = db.prepare('SELECT sqlite_version()').pluck().get() as string
    if (isOlder(version, oldestSqlite)) {
      throw new CannotStart(`SQLite ${version} is too old: ${oldestSqlite} or later is needed`)
    }
    const isNew = identify(db, path)
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma('recursive_triggers = ON')
    db.pragma('foreign_keys = OFF') // the writer numbers streams itself; a lookup per event would cost a third
    db.pragma('cache_size = -65536')
    db.pragma(`wal_autocheckpoint = ${mostPages}`)
    if (isNew) make(db, newLogId())
    // Everything into the main file, synced: after this the file's length can be held against its pages.
    const [moved] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    const pages = db.pragma('page_count', { simple: true }) as number
    const pageSize = db.pragma('page_size', { simple: true }) as number
    // While somebody reads, a part stays in the WAL, and the main file's length says nothing.
    if (moved?.busy === 0 && statSync(path).size < pages * pageSize) {
      throw new Error('the file is shorter than its contents')
    }
    return db
  } catch (error) {
    db?.close()
    throw explained(path, error)
  }
}

/** Opens a connection that can only read; the file must exist. */
export const openForReading = (path: string): Database.Database => {
  if (!existsSync(path)) throw new CannotStart(`there is no event log at ${path}`)
  mustBePlain(path)
  try {
    // Not mapped into memory: whoever cuts a mapped file short ends every process that reads it (SIGBUS).
    const db = new Sqlite(path, { readonly: true })
    db.prepare('SELECT max(position) FROM events').get()
    return db
  } catch (error) {
    throw explained(path, error)
  }
}
