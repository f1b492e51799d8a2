// Opens a database for reading, whether another process writes to it meanwhile or not.
import Database from 'better-sqlite3'
import { CannotStart } from '../../contract/cannot-start.ts'
import { whatStandsAt } from '../files/plain-file.ts'

/** Throws CannotStart for a FIFO, a folder or a device: SQLite would wait for a FIFO, or write to a device. */
export const mustBePlain = (path: string): void => {
  for (const file of ['', '-wal', '-shm'].map(suffix => path + suffix)) {
    const found = whatStandsAt(file)
    if (found === undefined || found === 'file') continue
    throw new CannotStart(`${file} is a ${found}, and must be a file: move it away`)
  }
}

/** Throws CannotStart when the path leads to a folder or a device, and the error of SQLite when it is no database. */
export const openReadOnly = (path: string): Database.Database => {
  mustBePlain(path)
  return new Database(path, { readonly: true, fileMustExist: true })
}
