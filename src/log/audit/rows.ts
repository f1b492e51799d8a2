// Turns rows of the log into events of the audit trail, up to the first row that is damaged or cannot be read.
import type { LongText, StoredEvent } from '../../contract/audit.ts'
import { DamagedEvent } from '../../contract/stored.ts'
import { decode, decodeErased } from '../decode.ts'
import { isErased, isLong } from '../fits.ts'
import type { AuditRows, StoredRow } from '../storage.ts'
import { isUnreadable } from '../store.ts'

/** Reads the long payload of a row and computes its digest, which is checked later. Undefined: no long payload. */
export type ReadLong = (
  row: StoredRow,
) => Promise<{ text: LongText; digest: string; begin: string } | undefined>

export type Lookup = Pick<AuditRows, 'erasedBy'> & { readLong: ReadLong }

const storedOf = async (row: StoredRow, { readLong, erasedBy }: Lookup): Promise<StoredEvent> => {
  const { position, header, payload, salt, leaf } = row
  if (isErased(row) || salt === null) {
    const { header: about, erased_by } = decodeErased(row, await erasedBy(position))
    return { position, about, header, leaf, payload: null, salt: null, erasedBy: erased_by }
  }
  const long = isLong(row) ? await readLong(row) : undefined
  const opened = long && { data: undefined, digest: long.digest, begin: long.begin }
  const { header: about } = decode(row, opened)
  return { position, about, header, leaf, payload: long?.text ?? payload ?? '', salt }
}

/**
 * Yields the events of these rows up to the first damaged one, and then throws the error about the damaged event.
 * `check` throws for a row that is not in its place.
 */
export async function* checked(
  rows: StoredRow[],
  lookup: Lookup,
  check: (row: StoredRow) => void,
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
 * Turns the error of a store that cannot be read into DamagedEvent, which a wrong hash gives, too. `position` says where
 * the damage is.
 */
export const readable = async <T>(
  read: () => Promise<T>,
  position: () => number | Promise<number>,
): Promise<T> => {
  try {
    return await read()
  } catch (error) {
    if (!isUnreadable(error)) throw error
    throw new DamagedEvent(await position(), 'cannot be read from the file')
  }
}
