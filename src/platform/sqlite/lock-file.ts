// Locks a data folder, so that only one server uses it. The lock is one of the operating system, on a separate file. So
// it is free again even after kill -9.
import Database from 'better-sqlite3'
import { CannotStart } from '../../contract/cannot-start.ts'
import { whatStandsAt } from '../files/plain-file.ts'
import { unusable } from '../files/unusable.ts'
import { isBusy } from './errors.ts'

/** The file holds nothing, so a damaged one may go. */
const whenDamaged = 'when no server uses the folder, remove this file'

/** Whether a process holds the lock of the folder now. Writes nothing. Throws CannotStart when that cannot be said. */
export const isLocked = (path: string): boolean => {
  let db: Database.Database | undefined
  try {
    const found = whatStandsAt(path)
    if (found === undefined) return false
    if (found !== 'file') throw new CannotStart(`${path} is a ${found}, and must be a file: move it away`)
    db = new Database(path, { readonly: true, timeout: 0 })
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw unusable(path, error, { doing: 'looked at', whenDamaged })
  } finally {
    db?.close()
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
    if (isBusy(error)) throw new CannotStart(inUse())
    throw unusable(path, error, { doing: 'locked', whenDamaged })
  }
  const held = db
  return () => {
    held.close()
  }
}
