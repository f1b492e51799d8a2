// Opens a log file, for the writer, for readers and for the command line.
import { existsSync, statSync } from 'node:fs'
import pathOf from 'node:path'
import Database from 'better-sqlite3'
import { CannotStart } from '../../contract/cannot-start.ts'
import { forbiddenAt } from '../../platform/files/permission.ts'
import { isOutside, unusable } from '../../platform/files/unusable.ts'
import { lineOf, resultOf } from '../../platform/sqlite/errors.ts'
import { mustBePlain } from '../../platform/sqlite/open-read-only.ts'
import { applicationId, schema, schemaVersion } from './schema.ts'
import { identify, lookInto } from './sqlite-checks.ts'

const oldestSqlite = '3.51.3' // earlier versions can lose a WAL that is reset while it is read
/** The WAL becomes longer by this many pages at once: SQLite's pages have 4 KiB, and a WAL has 24 bytes for each. */
const stepPages = 8192
export const walBytes = stepPages * (4096 + 24)
/**
 * When the WAL has this many pages, the writing thread itself copies them into the main file, and commits wait. In a
 * server, another thread has copied them long before. Only while a backup reads the log, nobody can, and the WAL grows.
 * What has gathered must not be copied in the first commit after the backup.
 */
const maxPages = 16 * stepPages

const isOlder = (version: string, than: string): boolean => {
  const [a, b] = [version, than].map(text => text.split('.').map(Number))
  for (let i = 0; i < 3; i++) if (a?.[i] !== b?.[i]) return (a?.[i] ?? 0) < (b?.[i] ?? 0)
  return false
}

/** Turns any error of opening the file into CannotStart with a plain message. */
const explained = (path: string, error: unknown): CannotStart => {
  if (error instanceof CannotStart) return error
  const forbidden = forbiddenAt(pathOf.dirname(path)) // SQLite makes files beside the log
  if (forbidden !== undefined) return new CannotStart(`${path} cannot be opened: ${forbidden}`)
  if (isOutside(error) || resultOf(error) === 'failing') return unusable(path, error, { doing: 'opened' })
  return new CannotStart(`${path} is damaged or is no event log (${lineOf(error)}): restore it from a backup`)
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

/** Removes the pieces of payloads that no event has, since a crash came before their events were stored. */
const removeLeftPieces = (db: Database.Database): void => {
  const left = db
    .prepare<[], number>(
      `WITH RECURSIVE payloads (no) AS (
         SELECT min(payload) FROM pieces
         UNION ALL
         SELECT (SELECT min(payload) FROM pieces WHERE payload > no) FROM payloads WHERE no IS NOT NULL
       )
       SELECT no FROM payloads WHERE no IS NOT NULL AND no NOT IN (SELECT no FROM long_payloads)`,
    )
    .pluck()
    .all()
  const remove = db.prepare('DELETE FROM pieces WHERE payload = ?')
  for (const no of left) remove.run(no)
}

/** Opens the write connection, and creates the schema in a new file. Throws CannotStart. */
export const openForWriting = (path: string, newLogId: () => string): Database.Database => {
  let db: Database.Database | undefined
  try {
    lookInto(path)
    db = new Database(path)
    const version = db.prepare('SELECT sqlite_version()').pluck().get() as string
    if (isOlder(version, oldestSqlite)) {
      throw new CannotStart(`SQLite ${version} is too old: ${oldestSqlite} or later is needed`)
    }
    const isNew = identify(db, path)
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = FULL')
    db.pragma('recursive_triggers = ON')
    db.pragma('foreign_keys = OFF') // the writer numbers the streams itself, and the check takes a third of the time
    db.pragma('cache_size = -65536')
    db.pragma('secure_delete = ON') // what is erased is overwritten; appends delete nothing
    db.pragma(`wal_autocheckpoint = ${maxPages}`)
    if (isNew) make(db, newLogId())
    removeLeftPieces(db)
    // Copies the WAL into the main file and syncs it. Then the length of the file must be that of its pages.
    const [moved] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    const pages = db.pragma('page_count', { simple: true }) as number
    const pageSize = db.pragma('page_size', { simple: true }) as number
    // While another connection reads, a part of the pages stays in the WAL, and the main file may rightly be shorter.
    if (moved?.busy === 0 && statSync(path).size < pages * pageSize) {
      throw new Error('the file is shorter than the pages that it should hold')
    }
    return db
  } catch (error) {
    db?.close()
    throw explained(path, error)
  }
}

/** Opens a connection that can only read. The file must exist. Throws CannotStart. */
export const openForReading = (path: string): Database.Database => {
  if (!existsSync(path)) throw new CannotStart(`there is no event log at ${path}: check the folder`)
  mustBePlain(path)
  let db: Database.Database | undefined
  try {
    // The file is not mapped into memory: if a program cuts a mapped file short, every process that reads it dies
    // (SIGBUS).
    db = new Database(path, { readonly: true })
    identify(db, path)
    db.prepare('SELECT max(position) FROM events').get()
    return db
  } catch (error) {
    db?.close()
    throw explained(path, error)
  }
}
