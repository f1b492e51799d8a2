// Task objects as JSON text, from the read models: the stored fields, then the items as they are stored. A short task is
// read at once; a long one in pieces of its stored bytes, each held against its sum.
import { crc32 } from 'node:zlib'
import { ChangedMeanwhile } from '../../src/contract/changed-meanwhile.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { Pause } from '../../src/fairness/slices.ts'
import type { Piece, Text } from '../../src/platform/pieces.ts'
import type { ReadStore } from '../store.ts'
import { DamagedText, sound } from '../sums.ts'
import { createStoredRows, type Kept } from './stored-rows.ts'

/** Read at one go. */
const pieceBytes = 1024 * 1024
/** A text is read in so many goes at most: each of them passes over what stands before it. */
const mostGoes = 4

/** `text`: a task as JSON; `size`: about its bytes. */
export type StoredTask = { text: Text; size: number }

/** Where a text stands: the fields of a task, or one of its items. */
type Place = { size: number; sum: number; n: number | undefined }

const checked = ({ bytes, sum }: Kept, expected: number): Buffer => {
  if (crc32(bytes) !== sum) throw new DamagedText('a text does not fit its sum')
  if (sum !== expected) throw new ChangedMeanwhile('a task moved on while it was answered')
  return bytes
}

const found = (text: Kept | undefined): Kept => {
  if (text === undefined) throw new ChangedMeanwhile('the read models were made again')
  return text
}

/** Neighbouring items that are short enough together, as one run; a long one is a run by itself. */
function* runsOf(items: [n: number, size: number, sum: number][]) {
  let run: typeof items = []
  let bytes = 0
  for (const item of items) {
    if (run.length > 0 && bytes + item[1] > pieceBytes) {
      yield run
      run = []
      bytes = 0
    }
    run.push(item)
    bytes += item[1]
  }
  if (run.length > 0) yield run
}

/** `reading`: as of the projector. */
export const createStoredTasks = (store: ReadStore, reading: <T>(ask: () => T) => T) => {
  const {
    fieldsAt,
    bodies,
    sizeAt,
    summaryAt,
    fieldsPlace,
    itemPlaces,
    openItems,
    fieldsPart,
    itemPart,
    itemRun,
  } = createStoredRows(store)

  const whole = (position: number): string => {
    const row = fieldsAt.get(position)
    if (row === undefined) throw new Refusal('TaskNotFound')
    const output = bodies.all(position).map(({ body, sum }) => sound(body, sum))
    return `${sound(row.fields, row.sum).slice(0, -1)},"output":[${output.join(',')}]}`
  }

  const partOf = (position: number, n: number | undefined, from: number, length: number): Kept => {
    const part =
      n === undefined
        ? fieldsPart.get(from + 1, length, position)
        : itemPart.get(from + 1, length, position, n)
    return found(part)
  }

  /** One text; `left` bytes at its end are left out. */
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

  /** What a long task is at this moment: where its texts are, and copies of those that may change at any time. */
  const look = (position: number) => {
    const fields = fieldsPlace.get(position)
    if (fields === undefined) throw new Refusal('TaskNotFound')
    const open = new Map<number, Kept>()
    if (fields.ended === 0) for (const { n, ...kept } of openItems.all(position)) open.set(n, kept)
    const kept = fields.size <= pieceBytes ? partOf(position, undefined, 0, fields.size) : undefined
    return { fields: { ...fields, n: undefined }, kept, items: itemPlaces.all(position), open }
  }

  /** The task as it is when its first piece is taken. Throws ChangedMeanwhile. */
  async function* piecesOf(position: number, pause: Pause): AsyncGenerator<Piece> {
    await pause()
    const { fields, kept, items, open } = reading(() => look(position))
    if (kept === undefined) yield* textAt(position, fields, pause, 1)
    else yield reading(() => checked(kept, fields.sum)).subarray(0, -1)
    let before = ',"output":['
    for (const run of runsOf(items)) {
      const [[n, size, sum] = [0, 0, 0]] = run
      await pause()
      if (run.length === 1 && !open.has(n)) {
        yield before
        yield* textAt(position, { n, size, sum }, pause)
      } else {
        const last = run.at(-1)?.[0] ?? n
        const parts = reading(() => {
          const texts = itemRun.all(position, n, last)
          return run.map(([each, , expected], at) => {
            return checked(open.get(each) ?? found(texts[at]), expected)
          })
        })
        for (const [at, text] of parts.entries()) {
          yield at === 0 ? before : ','
          yield text
        }
      }
      before = ','
    }
    yield items.length === 0 ? ',"output":[]}' : ']}'
  }

  /** The task without its output, and what stands in its place. */
  async function* summaryOf(position: number, pause: Pause): AsyncGenerator<Piece> {
    await pause()
    const { place, kept, summary } = reading(() => {
      const place = fieldsPlace.get(position)
      const row = summaryAt.get(position)
      if (place === undefined || row === undefined) throw new Refusal('TaskNotFound')
      const kept = place.size <= pieceBytes ? partOf(position, undefined, 0, place.size) : undefined
      return { place: { ...place, n: undefined }, kept, summary: sound(row.summary, row.summary_sum) }
    })
    if (kept === undefined) yield* textAt(position, place, pause, 1)
    else yield reading(() => checked(kept, place.sum)).subarray(0, -1)
    yield `,${summary.slice(1)}`
  }

  const sizeOf = (position: number): number => sizeAt.get(position, position) ?? 0
  return {
    whole,
    /** The task object; one of more than `most` bytes is read in pieces as it is taken. */
    text(position: number, most: number, pause: Pause): StoredTask {
      const size = sizeOf(position)
      return { text: size <= most ? whole(position) : piecesOf(position, pause), size }
    },
    /** The same, without asking how large it is. */
    pieces: piecesOf,
    /** The task with its summary in the place of its output. */
    summary: (position: number, pause: Pause): StoredTask => ({
      text: summaryOf(position, pause),
      size: fieldsPlace.get(position)?.size ?? 0,
    }),
    /** The same text by text, each whole: the fields, then the items. */
    async *texts(position: number, pause: Pause): AsyncGenerator<string> {
      const { fields, kept, items, open } = reading(() => look(position))
      const own = kept ?? partOf(position, undefined, 0, fields.size)
      yield reading(() => checked(own, fields.sum)).toString()
      for (const [n, , sum] of items) {
        await pause()
        const item = () => open.get(n) ?? itemRun.get(position, n, n)
        yield reading(() => checked(found(item()), sum)).toString()
      }
    },
  }
}
export type StoredTasks = ReturnType<typeof createStoredTasks>
