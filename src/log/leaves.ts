// Reads the leaves and the headers of the log by position, for the tree over the log, on a connection of its own.
import { DamagedEvent } from '../contract/stored.ts'
import { openForReading } from './sqlite-file.ts'

export type Leaves = {
  /** The leaves of events, in order, after a position. Throws DamagedEvent when one is missing. */
  leaves(after: number, count: number): string[]
  /** The headers of events, in order, after a position. Throws DamagedEvent when one is missing. */
  headers(after: number, count: number): string[]
  close(): void
}

/** Throws CannotStart. */
export const openLeaves = (path: string): Leaves => {
  const db = openForReading(path)
  const reader = (column: 'leaf' | 'header') => {
    const rows = db
      .prepare<[number, number], string>(
        `SELECT ${column} FROM events WHERE position > ? AND position <= ? ORDER BY position`,
      )
      .pluck()
    return (after: number, count: number): string[] => {
      const found = rows.all(after, after + count)
      if (found.length < count)
        throw new DamagedEvent(after + found.length + 1, 'or one before it is missing')
      return found
    }
  }
  return { leaves: reader('leaf'), headers: reader('header'), close: () => void db.close() }
}
