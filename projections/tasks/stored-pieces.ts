// Gives a long task as JSON, in pieces of its stored bytes: its fields, then its items or their summary.
import { jsonPieces } from '../../src/contract/json/json-pieces.ts'
import { Refusal } from '../../src/contract/refusals.ts'
import type { Log } from '../../src/contract/stored.ts'
import type { Pause } from '../../src/fairness/slices.ts'
import type { Piece } from '../../src/platform/pieces.ts'
import { sound } from '../sums.ts'
import { longItemsOf } from './long-items.ts'
import type { ItemPlace, StoredRows } from './stored-rows.ts'
import { checked, found, pieceBytes, type StoredTexts } from './stored-texts.ts'

/** Groups neighbouring items into runs that are short enough to be read at once. A long item is a run of its own. */
function* runsOf(items: ItemPlace[]) {
  let run: typeof items = []
  let bytes = 0
  for (const item of items) {
    const isLong = item[3] === 1 || run[0]?.[3] === 1
    if (run.length > 0 && (isLong || bytes + item[1] > pieceBytes)) {
      yield run
      run = []
      bytes = 0
    }
    run.push(item)
    bytes += item[1]
  }
  if (run.length > 0) yield run
}

type Rows = Pick<StoredRows, 'idAt' | 'itemRun' | 'summaryAt'>

export const createStoredPieces = (
  rows: Rows,
  texts: StoredTexts,
  reading: <T>(ask: () => T) => T,
  readStream: Log['readStream'],
) => ({
  /**
   * The task as it is when its first piece is taken. Throws ChangedMeanwhile when a text changes before it is read,
   * unless it was copied at the beginning.
   */
  async *whole(position: number, pause: Pause): AsyncGenerator<Piece> {
    await pause()
    const { items, open, ...own } = reading(() => texts.look(position))
    yield* texts.openFields(position, own, pause)
    const longItem = longItemsOf(readStream, rows.idAt.get(position), pause)
    let before = ',"output":['
    for (const run of runsOf(items)) {
      const [[n, size, sum, isLong] = [0, 0, 0, 0]] = run
      await pause()
      if (isLong) {
        yield before
        for (const piece of jsonPieces(await longItem(n))) {
          yield piece
          await pause()
        }
      } else if (run.length === 1 && !open.has(n)) {
        yield before
        yield* texts.textAt(position, { n, size, sum }, pause)
      } else {
        const last = run.at(-1)?.[0] ?? n
        const parts = reading(() => {
          const stored = rows.itemRun.all(position, n, last)
          return run.map(([each, , expected], at) => {
            return checked(open.get(each) ?? found(stored[at]), expected)
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
  },

  /** The task with its summary in place of its output. */
  async *summary(position: number, pause: Pause): AsyncGenerator<Piece> {
    await pause()
    const { own, summary } = reading(() => {
      const own = texts.fieldsAt(position)
      const row = rows.summaryAt.get(position)
      if (row === undefined) throw new Refusal('TaskNotFound')
      return { own, summary: sound(row.summary, row.summary_sum) }
    })
    yield* texts.openFields(position, own, pause)
    yield `,${summary.slice(1)}`
  },
})
