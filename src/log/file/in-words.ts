// Gives errors of SQLite about the log the words of the port (src/log/store.ts).
import { isCorrupt, isMisunderstood, resultOf } from '../../platform/sqlite/errors.ts'
import { Unreadable, Unwritable } from '../store.ts'

const isSqlite = (error: unknown): error is Error => error instanceof Error && resultOf(error) !== undefined

const asUnreadable = (error: unknown): unknown => {
  if (!isSqlite(error)) return error
  if (resultOf(error) === 'damaged' || isMisunderstood(error)) return new Unreadable('LOG_DAMAGED', error)
  return isCorrupt(error) ? new Unreadable('LOG_UNREADABLE', error) : error
}

/** Runs a read, which then throws Unreadable in place of an error of SQLite. */
export const reading = <T>(read: () => T): T => {
  try {
    return read()
  } catch (error) {
    throw asUnreadable(error)
  }
}
/** Does the same as `reading` for work that takes a while. */
export const readingLong = <T>(read: Promise<T>): Promise<T> =>
  read.catch(error => {
    throw asUnreadable(error)
  })
/** A read whose caller need not have the answer at once. */
export const later =
  <Given extends unknown[], T>(read: (...given: Given) => T) =>
  async (...given: Given): Promise<T> =>
    reading(() => read(...given))

/** Resolves when a write is done. Rejects with Unwritable in place of an error of SQLite. */
export const writing = <T>(write: Promise<T>): Promise<T> =>
  write.catch(error => {
    throw isSqlite(error) ? new Unwritable(error) : error
  })
