// One server per data folder. The lock is the system's, on a file of its own: kill -9 frees it.
import type Database from 'better-sqlite3'
import { CannotStart } from '../contract/cannot-start.ts'
import Sqlite from '../platform/sqlite/library.ts'

/** Whether a process holds the folder now. */
export const isLocked = (path: string): boolean => {
  try {
    lockFolder(path, () => 'in use')()
    return false
  } catch {
    return true
  }
}

/** Holds the folder until the answer is called. Throws CannotStart when another process holds it. */
export const lockFolder = (path: string, inUse: () => string): (() => void) => {
  let db: Database.Database | undefined
  try {
    db = new Sqlite(path, { timeout: 0 })
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db?.close()
    const { code, message } = error as { code?: string; message: string }
    if (code === 'SQLITE_BUSY') throw new CannotStart(inUse())
    throw new CannotStart(`${path} cannot be locked (${message}): when no server uses the folder, remove it`)
  }
  const held = db
  return () => {
    held.close()
  }
}

/**
 * Holds a file together with other processes until the answer is called: nobody can lock it for itself meanwhile. Without
 * such a file it does nothing.
 */
export const shareFile = (path: string): (() => void) => {
  let db: Database.Database | undefined
  try {
    db = new Sqlite(path, { readonly: true, fileMustExist: true })
    db.exec('BEGIN')
    db.prepare('SELECT count(*) FROM sqlite_schema').get() // a transaction has its lock once it has read
  } catch {}
  return () => {
    db?.close()
  }
}
