// Checks that a file is a complete log of Reprise, before anything in it is changed.
import { existsSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { CannotStart } from '../../contract/cannot-start.ts'
import { mustBePlain } from '../../platform/sqlite/open-read-only.ts'
import { isErased, isLong, misfitOfTexts } from '../fits.ts'
import type { Row } from '../store.ts'
import { erasedRangesOf } from './erasing/erased-ranges.ts'
import { longPayloadsOf } from './long/long-text.ts'
import { applicationId, schemaVersion } from './schema.ts'
import { checkWal, smallestDatabase, unfit } from './wal.ts'

/** How many of the newest events are checked against their hashes when a log is opened. */
const tailChecked = 256

/** Throws CannotStart when one of the newest events is damaged or missing. */
const checkTail = (db: Database.Database, path: string): void => {
  const rows = db
    .prepare<[number], Row>(
      `SELECT e.position, s.id AS stream, e.revision, e.header, e.payload, e.salt, e.leaf
       FROM events e LEFT JOIN streams s ON s.no = e.stream_no ORDER BY e.position DESC LIMIT ?`,
    )
    .all(tailChecked)
  const long = longPayloadsOf(db)
  // A long payload is checked when it is read: a start that read 256 of them would take too long. An event whose stream
  // is lost is refused when it is read, so that all other streams can be served.
  const misfit = (row: Row) => misfitOfTexts(row, isLong(row) && long.isAt(row.position))
  const erasedBy = erasedRangesOf(db)
  const isLost = (row: Row) => isErased(row) && erasedBy(row.position) === undefined
  let expected = rows[0]?.position
  for (const row of rows) {
    if (row.position !== expected || misfit(row) !== undefined || isLost(row))
      throw new CannotStart(`${path} is damaged at position ${expected}: restore it from a backup`)
    expected = row.position - 1
  }
}

/** Throws when the log has no id. The id is made with the log and never changes. */
const checkId = (db: Database.Database): void => {
  const id = db.prepare("SELECT value FROM facts WHERE key = 'log_id'").pluck().get()
  if (typeof id !== 'string') throw new Error('the log has no id')
}

/** Checks that the file is a log of Reprise that this build can use. Returns true for an empty file. Throws CannotStart. */
export const identify = (db: Database.Database, path: string): boolean => {
  const version = db.pragma('user_version', { simple: true }) as number
  const application = db.pragma('application_id', { simple: true }) as number
  const tables = db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() as number
  if (tables === 0 && version === 0) return true
  if (application !== applicationId)
    throw new CannotStart(`${path} is no event log of Reprise: choose another DATA_DIR`)
  if (version !== schemaVersion)
    throw new CannotStart(
      `${path} has the tables of another build of reprise (version ${version} in place of ${schemaVersion}): run that build, or choose another DATA_DIR`,
    )
  return false
}

/**
 * Checks a log or, if there is none, that no WAL of it is left. Writes nothing: the connection is read-only, because
 * closing a writable connection would move the WAL into the log. Throws CannotStart, or the error of SQLite.
 */
export const lookInto = (path: string): void => {
  mustBePlain(path)
  const missing = checkWal(path)
  if (!existsSync(path)) return
  const db = new Database(path, { readonly: true })
  try {
    if (identify(db, path)) return
    // SQLite never writes a page that one commit allocated and freed again. Such a page is missing but free, so no more
    // pages may be missing than are free.
    if (missing > Number(db.pragma('freelist_count', { simple: true }))) throw unfit(path)
    checkId(db)
    checkTail(db, path)
  } finally {
    db.close()
  }
}

/** Whether there is a log, or any other database, at this path. */
export const isBegun = (path: string): boolean => existsSync(path) && statSync(path).size >= smallestDatabase
