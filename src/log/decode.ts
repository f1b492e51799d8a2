// Turns stored text back into an event. Throws DamagedEvent for text that does not match its hashes, so that damaged
// text is never shown.
import { readJson } from '../contract/json/exact-json.ts'
import { DamagedEvent, type Header, type Recorded } from '../contract/stored.ts'
import { misfitOfHeader, misfitOfPayload, type StoredTexts } from './fits.ts'
import { digestOf } from './leaf.ts'
import type { Opened } from './store.ts'

const parsed = <T>(position: number, text: string, read: (text: string) => unknown = JSON.parse): T => {
  try {
    return read(text) as T
  } catch {
    throw new DamagedEvent(position, 'is not JSON')
  }
}

/** Parses a payload and computes its digest. Throws DamagedEvent. */
export const openPayload = (position: number, salt: string, payload: string): Opened => ({
  data: parsed(position, payload, readJson),
  digest: digestOf(salt, payload),
  begin: payload.slice(0, 1),
})

const mustFit = (position: number, misfit: string | undefined): void => {
  if (misfit !== undefined) throw new DamagedEvent(position, misfit)
}

type Decodable = StoredTexts & { position: number }

/** `opened`: the payload of the row, when it was opened elsewhere because it is long. */
export const decode = (row: Decodable, opened?: Opened): Recorded => {
  const { position, payload, salt } = row
  mustFit(position, misfitOfHeader(row))
  const found =
    opened ?? (payload === null || salt === null ? undefined : openPayload(position, salt, payload))
  if (found === undefined || salt === null) throw new DamagedEvent(position, 'has no payload')
  const { data, digest, begin } = found
  mustFit(position, misfitOfPayload(row.header, { salt, digest, begin }))
  return { position, header: parsed<Header>(position, row.header), data }
}

/** `erasedBy`: the position of the event that covers the row; undefined: no event says that the row was erased. */
export const decodeErased = (
  row: Decodable,
  erasedBy: number | undefined,
): Recorded & { erased_by: number } => {
  const { position } = row
  if (erasedBy === undefined)
    throw new DamagedEvent(position, 'has no payload, and no event says that it was erased')
  mustFit(position, misfitOfHeader(row))
  return { position, header: parsed<Header>(position, row.header), data: undefined, erased_by: erasedBy }
}
