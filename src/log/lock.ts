// Locks a data folder, so that only one server uses it. The lock is one of the operating system, on a separate file. So
// it is free again even after kill -9.
import Database from 'better-sqlite3'
import { CannotStart } from '../contract/cannot-start.ts'

/** Whether a process holds the lock of the folder now, or the file at `path` cannot be locked for another reason. */
export const isLocked = (path: string): boolean => {
  try {
    lockFolder(path, () => 'in use')()
    return false
  } catch {
    return true
  }
}

/**
 * Locks the folder by the file at `path`, and returns the function that unlocks it. `inUse` returns the text of the
 * error for the case that another process holds the lock. Throws CannotStart.
 */
export const lockFolder = (path: string, inUse: () => string): (() => void) => {
  let db: Database.Database | undefined
  try {
    db = new Database(path, { timeout: 0 })
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db?.close()
    const { code, message } = error as { code?: string; message: string }
    if (code === 'SQLITE_BUSY') throw new CannotStart(inUse())
    throw new CannotStart(
      `${path} cannot be locked (${message}): when no server uses the folder, remove this file`,
    )
  }
  const held = db
  return () => {
    held.close()
  }
}
