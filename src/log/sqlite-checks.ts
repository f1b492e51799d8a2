// Checks that a file is a whole log of Reprise, before anything in it is changed. Errors are in plain words.
import { existsSync, statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { CannotStart } from '../contract/cannot-start.ts'
import { whatStandsAt } from '../platform/plain-file.ts'
import Sqlite from '../platform/sqlite/library.ts'
import { digestOf, leafOf } from './leaf.ts'
import { applicationId, schemaVersion } from './schema.ts'
import { checkWal, smallestDatabase, unfit } from './wal.ts'

const tailChecked = 256

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

/** The id is created with the log and never changes. */
const checkId = (db: Database.Database): void => {
  const id = db.prepare("SELECT value FROM facts WHERE key = 'log_id'").pluck().get()
  if (typeof id !== 'string') throw new Error('it has no id')
}

/** Checks that the file is ours, before anything in it is changed. Returns true for an empty file. */
export const identify = (db: Database.Database, path: string): boolean => {
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

/** Throws CannotStart for a FIFO, a folder or a device: SQLite would wait for it, or write to it. */
export const mustBePlain = (path: string): void => {
  for (const file of ['', '-wal', '-shm'].map(suffix => path + suffix)) {
    const found = whatStandsAt(file)
    if (found === undefined || found === 'file') continue
    throw new CannotStart(`${file} is a ${found}, and must be a file: move it away`)
  }
}

/** Checks what can be checked without writing: closing this connection moves nothing out of the WAL. */
export const lookInto = (path: string): void => {
  mustBePlain(path)
  const missing = checkWal(path)
  if (!existsSync(path)) return
  const db = new Sqlite(path, { readonly: true })
  try {
    if (identify(db, path)) return
    // A page that was allocated and freed within one commit is never written.
    if (missing > Number(db.pragma('freelist_count', { simple: true }))) throw unfit(path)
    checkId(db)
    checkTail(db, path)
  } finally {
    db.close()
  }
}

/** Whether there is a log, or any other database, at this path. */
export const isBegun = (path: string): boolean => existsSync(path) && statSync(path).size >= smallestDatabase
