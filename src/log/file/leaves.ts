// Reads the leaves and the headers of the log by position, for the tree over the log, on a connection of its own.
import { DamagedEvent } from '../../contract/stored.ts'
import { isCorrupt } from '../../platform/sqlite/errors.ts'
import type { Leaves } from '../storage.ts'
import { openForReading } from './sqlite-file.ts'

/** The first position after `after` without an event. */
const firstMissing = (positions: readonly number[], after: number): number => {
  const gap = positions.findIndex((position, n) => position !== after + n + 1)
  return after + 1 + (gap === -1 ? positions.length : gap)
}

/** Throws CannotStart. */
export const openLeaves = (path: string): Leaves => {
  const db = openForReading(path)
  const reader = (column: 'leaf' | 'header' | 'position') =>
    db
      .prepare<[number, number], unknown>(
        `SELECT ${column} FROM events WHERE position > ? AND position <= ? ORDER BY position`,
      )
      .pluck()
  const positions = reader('position')
  const textsOf = (column: 'leaf' | 'header') => {
    const rows = reader(column)
    return (after: number, count: number): string[] => {
      try {
        const found = rows.all(after, after + count) as string[]
        if (found.length === count) return found
      } catch (error) {
        if (isCorrupt(error))
          throw new DamagedEvent(after + 1, 'or one after it cannot be read from the file')
        throw error
      }
      const there = positions.all(after, after + count) as number[]
      throw new DamagedEvent(firstMissing(there, after), 'is missing')
    }
  }
  return { leaves: textsOf('leaf'), headers: textsOf('header'), close: () => void db.close() }
}
