// Where the texts of a task are in its rows, and how a long text is read: in parts, which are checked against its
// checksum.
import { crc32 } from 'node:zlib'
import { ChangedMeanwhile } from '../../src/contract/changed-meanwhile.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { Pause } from '../../src/fairness/slices.ts'
import { DamagedText } from '../sums.ts'
import type { Kept, StoredRows } from './stored-rows.ts'

/** Bytes that are read at once. */
export const pieceBytes = 1024 * 1024
/** Most parts in which one text is read: SQLite passes over everything before a part each time. */
const mostGoes = 4

/** Where a text is: in the fields of a task, or in one of its items. */
type Place = { size: number; sum: number; n: number | undefined }

export const checked = ({ bytes, sum }: Kept, expected: number): Buffer => {
  if (crc32(bytes) !== sum) throw new DamagedText('a text does not fit its sum')
  if (sum !== expected) throw new ChangedMeanwhile('a task moved on while it was answered')
  return bytes
}

export const found = (text: Kept | undefined): Kept => {
  if (text === undefined) throw new ChangedMeanwhile('the read models were made again')
  return text
}

type Rows = Pick<StoredRows, 'fieldsPlace' | 'fieldsPart' | 'itemPlaces' | 'itemPart' | 'openItems'>

/** `reading`: that of the projector. */
export const createStoredTexts = (rows: Rows, reading: <T>(ask: () => T) => T) => {
  const partOf = (position: number, n: number | undefined, from: number, length: number): Kept => {
    const part =
      n === undefined
        ? rows.fieldsPart.get(from + 1, length, position)
        : rows.itemPart.get(from + 1, length, position, n)
    return found(part)
  }

  /** One text in parts, without the last `left` bytes. */
  async function* textAt(position: number, { size, sum, n }: Place, pause: Pause, left = 0) {
    const step = Math.max(pieceBytes, Math.ceil(size / mostGoes))
    let crc = 0
    for (let from = 0; from < size; from += step) {
      if (from > 0) await pause()
      const part = reading(() => {
        const { bytes, sum: now } = partOf(position, n, from, step)
        crc = crc32(bytes, crc)
        const isEnd = from + step >= size
        if (isEnd && crc !== sum && now === sum) throw new DamagedText('a text does not fit its sum')
        if (now !== sum || (isEnd && crc !== sum)) throw new ChangedMeanwhile('a task moved on')
        return bytes
      })
      yield from + step >= size ? part.subarray(0, part.length - left) : part
    }
  }

  /** Where the fields of a task are, and a copy of them if they are short. */
  const fieldsAt = (position: number) => {
    const place = rows.fieldsPlace.get(position)
    if (place === undefined) throw new Refusal('TaskNotFound')
    const kept = place.size <= pieceBytes ? partOf(position, undefined, 0, place.size) : undefined
    return { fields: { ...place, n: undefined }, kept }
  }
  type Fields = ReturnType<typeof fieldsAt>

  return {
    partOf,
    textAt,
    fieldsAt,
    /** A long task at this moment: where its texts are, and copies of the texts that may change at any time. */
    look(position: number) {
      const found = fieldsAt(position)
      const open = new Map<number, Kept>()
      if (found.fields.ended === 0)
        for (const { n, ...kept } of rows.openItems.all(position)) open.set(n, kept)
      return { ...found, items: rows.itemPlaces.all(position), open }
    },
    /** The fields as a JSON object without its last brace, so that more can follow. */
    async *openFields(position: number, { fields, kept }: Fields, pause: Pause) {
      if (kept === undefined) yield* textAt(position, fields, pause, 1)
      else yield reading(() => checked(kept, fields.sum)).subarray(0, -1)
    },
  }
}
export type StoredTexts = ReturnType<typeof createStoredTexts>
