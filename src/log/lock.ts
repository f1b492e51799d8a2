// One server per data folder. The operating system holds the lock, on a separate file, so even kill -9 frees it.
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

/**
 * Locks the folder, and returns the function that unlocks it. Throws CannotStart when another process holds the lock.
 */
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
 * Shares the lock of a file with other processes until the returned function is called; meanwhile no process can lock
 * the file for itself alone. Does nothing when there is no such file.
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
