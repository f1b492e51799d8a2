// Reads the texts of a task from its rows. A long text is read in parts, which are checked against its checksum
// together.
import { crc32 } from 'node:zlib'
import { ChangedMeanwhile } from '../../src/contract/changed-meanwhile.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { Pause } from '../../src/fairness/slices.ts'
import { DamagedText } from '../sums.ts'
import type { Stored, StoredRows } from './stored-rows.ts'

/** Bytes. A text up to this length is read at once, and a part of a longer text has at least this length. */
export const pieceBytes = 1024 * 1024
/**
 * The largest number of parts in which one text is read. It is small, because SQLite reads past everything that stands
 * before a part.
 */
const maxPieces = 4

/** A text of a task: its fields (`n` is undefined), or its item number `n`. `size`: bytes. `sum`: the checksum. */
type Place = { size: number; sum: number; n: number | undefined }

export const checked = ({ bytes, sum }: Stored, expected: number): Buffer => {
  if (crc32(bytes) !== sum) throw new DamagedText('a text in the read models does not match its checksum')
  if (sum !== expected) throw new ChangedMeanwhile('a task changed while it was sent')
  return bytes
}

export const found = (text: Stored | undefined): Stored => {
  if (text === undefined) throw new ChangedMeanwhile('the read models were rebuilt while a task was sent')
  return text
}

type Rows = Pick<StoredRows, 'fieldsPlace' | 'fieldsPart' | 'itemPlaces' | 'itemPart' | 'openItems'>

/** `reading`: `Projector.reading`, which runs a query and notices when the file is damaged. */
export const createStoredTexts = (rows: Rows, reading: <T>(ask: () => T) => T) => {
  const partOf = (position: number, n: number | undefined, from: number, length: number): Stored => {
    const part =
      n === undefined
        ? rows.fieldsPart.get(from + 1, length, position)
        : rows.itemPart.get(from + 1, length, position, n)
    return found(part)
  }

  /** One text in parts, without its last `left` bytes. */
  async function* textAt(position: number, { size, sum, n }: Place, pause: Pause, left = 0) {
    const step = Math.max(pieceBytes, Math.ceil(size / maxPieces))
    let crc = 0
    for (let from = 0; from < size; from += step) {
      if (from > 0) await pause()
      const part = reading(() => {
        const { bytes, sum: now } = partOf(position, n, from, step)
        crc = crc32(bytes, crc)
        const isEnd = from + step >= size
        if (isEnd && crc !== sum && now === sum)
          throw new DamagedText('a text in the read models does not match its checksum')
        if (now !== sum || (isEnd && crc !== sum))
          throw new ChangedMeanwhile('a task changed while it was sent')
        return bytes
      })
      yield from + step >= size ? part.subarray(0, part.length - left) : part
    }
  }

  /** The size and the checksum of the fields of a task, and a copy of the fields if they are short. */
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
    /** A long task at this moment: the sizes and checksums of its texts, and copies of the texts that may change. */
    look(position: number) {
      const found = fieldsAt(position)
      const open = new Map<number, Stored>()
      if (found.fields.ended === 0)
        for (const { n, ...kept } of rows.openItems.all(position)) open.set(n, kept)
      return { ...found, items: rows.itemPlaces.all(position), open }
    },
    /** The fields as a JSON object without its last brace, so that further fields can follow. */
    async *openFields(position: number, { fields, kept }: Fields, pause: Pause) {
      if (kept === undefined) yield* textAt(position, fields, pause, 1)
      else yield reading(() => checked(kept, fields.sum)).subarray(0, -1)
    },
  }
}
export type StoredTexts = ReturnType<typeof createStoredTexts>
