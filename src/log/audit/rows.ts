// Turns rows of the log file into events of the audit trail, up to the first row that is damaged or cannot be read.
import type { LongText, StoredEvent } from '../../contract/audit.ts'
import { DamagedEvent } from '../../contract/stored.ts'
import { isCorrupt } from '../../platform/sqlite/corrupt.ts'
import { decode, decodeErased } from '../decode.ts'
import { isErased, isLong } from '../fits.ts'
import type { Row } from '../store.ts'

/** A page ends after the row with which the headers and payloads on the page reach this many characters. */
const pageChars = 1024 * 1024

/** Reads the long payload of a row and computes its digest, which is checked later. Undefined: no long payload. */
export type ReadLong = (row: Row) => Promise<{ text: LongText; digest: string; begin: string } | undefined>

export type Lookup = {
  readLong: ReadLong
  /** The position of the event that erased the payload at `position`; undefined: it was not erased. */
  erasedBy: (position: number) => number | undefined
}

const storedOf = async (row: Row, { readLong, erasedBy }: Lookup): Promise<StoredEvent> => {
  const { position, header, payload, salt, leaf } = row
  if (isErased(row) || salt === null) {
    const { header: about, erased_by } = decodeErased(row, erasedBy(position))
    return { position, about, header, leaf, payload: null, salt: null, erasedBy: erased_by }
  }
  const long = isLong(row) ? await readLong(row) : undefined
  const opened = long && { data: undefined, digest: long.digest, begin: long.begin }
  const { header: about } = decode(row, opened)
  return { position, about, header, leaf, payload: long?.text ?? payload ?? '', salt }
}

/** The rows of a page, up to the first one that cannot be read. A long payload ends the page. Throws the error of SQLite when no row can be read. */
export const pageOf = (rows: IterableIterator<Row>): Row[] => {
  const page: Row[] = []
  let chars = 0
  try {
    for (const row of rows) {
      page.push(row)
      chars += isLong(row) ? pageChars : row.header.length + (row.payload?.length ?? 0)
      if (chars >= pageChars) break
    }
  } catch (error) {
    if (page.length === 0) throw error
  }
  return page
}

/**
 * Yields the events of these rows up to the first damaged one, and then throws the error about the damaged event.
 * `check` throws for a row that is not in its place.
 */
export async function* checked(
  rows: Row[],
  lookup: Lookup,
  check: (row: Row) => void,
): AsyncGenerator<StoredEvent[]> {
  const page: StoredEvent[] = []
  let damage: unknown
  for (const row of rows) {
    try {
      check(row)
      page.push(await storedOf(row, lookup))
    } catch (error) {
      damage = error
      break
    }
  }
  if (page.length > 0) yield page
  if (damage !== undefined) throw damage
}

/**
 * Turns an error of SQLite about a broken file into DamagedEvent, which a wrong hash gives, too. `position` says where
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
