// Makes task objects as JSON text from the read models: the stored fields, then the stored items. A short task is read
// at once. A long task is read in pieces of its stored bytes, which are checked against their checksums.
import { Refusal } from '../../src/contract/refusals.ts'
import type { Log } from '../../src/contract/stored.ts'
import type { Pause } from '../../src/fairness/slices.ts'
import type { Text } from '../../src/platform/pieces.ts'
import type { ReadStore } from '../store.ts'
import { sound } from '../sums.ts'
import { createStoredPieces } from './stored-pieces.ts'
import { createStoredRows } from './stored-rows.ts'
import { checked, createStoredTexts, found } from './stored-texts.ts'

/** `text`: a task as JSON. `size`: roughly the bytes of the text. */
export type StoredTask = { text: Text; size: number }

/** `reading`: `Projector.reading`, which runs a query and notices when the file is damaged. */
export const createStoredTasks = (
  store: ReadStore,
  reading: <T>(ask: () => T) => T,
  { readStream }: Pick<Log, 'readStream'>,
) => {
  const rows = createStoredRows(store)
  const texts = createStoredTexts(rows, reading)
  const pieces = createStoredPieces(rows, texts, reading, readStream)

  const whole = (position: number): string => {
    const row = rows.fieldsAt.get(position)
    if (row === undefined) throw new Refusal('TaskNotFound')
    const output = rows.bodies.all(position).map(({ body, sum }) => {
      if (body === null) throw new Error('a task with a long item is read in pieces')
      return sound(body, sum)
    })
    return `${sound(row.fields, row.sum).slice(0, -1)},"output":[${output.join(',')}]}`
  }

  return {
    whole,
    /** The task object. If it has more than `max` bytes, it is read in pieces as the caller takes them. */
    text(position: number, max: number, pause: Pause): StoredTask {
      const size = rows.sizeAt.get(position, position) ?? 0
      return { text: size <= max ? whole(position) : pieces.whole(position, pause), size }
    },
    /** The task object in pieces, however long it is. Its size is not looked up. */
    pieces: pieces.whole,
    /** The task with its summary in place of its output. */
    summary: (position: number, pause: Pause): StoredTask => ({
      text: pieces.summary(position, pause),
      size: rows.fieldsPlace.get(position)?.size ?? 0,
    }),
    /**
     * The task object as texts that are not cut: its fields first, then each item. Undefined in place of a long item,
     * whose text only the log has.
     */
    async *texts(position: number, pause: Pause): AsyncGenerator<string | undefined> {
      const { fields, kept, items, open } = reading(() => texts.look(position))
      const own = kept ?? texts.partOf(position, undefined, 0, fields.size)
      yield reading(() => checked(own, fields.sum)).toString()
      for (const [n, , sum, isLong] of items) {
        await pause()
        if (isLong) {
          yield undefined
          continue
        }
        const item = () => open.get(n) ?? rows.itemRun.get(position, n, n)
        yield reading(() => checked(found(item()), sum)).toString()
      }
    },
  }
}
export type StoredTasks = ReturnType<typeof createStoredTasks>
