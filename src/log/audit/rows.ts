// Turns rows of the file into events of the audit trail, as far as the rows can be read and are undamaged.
import type { StoredEvent } from '../../contract/audit.ts'
import { DamagedEvent } from '../../contract/stored.ts'
import { isCorrupt } from '../../platform/sqlite/corrupt.ts'
import { decode } from '../decode.ts'
import type { Row } from '../store.ts'

/** A page ends after the row with which its headers and payloads reach this many characters. */
const pageChars = 1024 * 1024

const storedOf = (row: Row): StoredEvent => {
  const { header: about, position } = decode(row, {}) // as it was written, whatever its version
  return { position, about, header: row.header, payload: row.payload ?? '', salt: row.salt, leaf: row.leaf }
}

/** The rows of a page, up to the first one that cannot be read. Throws the error of SQLite when no row can be read. */
export const pageOf = (rows: IterableIterator<Row>): Row[] => {
  const page: Row[] = []
  let chars = 0
  try {
    for (const row of rows) {
      page.push(row)
      chars += row.header.length + (row.payload?.length ?? 0)
      if (chars >= pageChars) break
    }
  } catch (error) {
    if (page.length === 0) throw error
  }
  return page
}

/**
 * Yields the events of these rows up to the first damaged one, and then throws the error about that one. `check` throws
 * for a row that is not in its place.
 */
export function* checked(rows: Row[], check: (row: Row) => void): Generator<StoredEvent[]> {
  const page: StoredEvent[] = []
  let damage: unknown
  for (const row of rows) {
    try {
      check(row)
      page.push(storedOf(row))
    } catch (error) {
      damage = error
      break
    }
  }
  if (page.length > 0) yield page
  if (damage !== undefined) throw damage
}

/**
 * Turns an error of SQLite about a broken file into DamagedEvent, the error that a wrong hash gives. `position`: where
 * the damage is.
 */
export const readable = <T>(read: () => T, position: () => number): T => {
  try {
    return read()
  } catch (error) {
    if (!isCorrupt(error)) throw error
    throw new DamagedEvent(position(), 'cannot be read from the file')
  }
}
