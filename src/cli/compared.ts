// The read models held against the log: made a second time, beside the first, and compared row by row.
import { type Difference, differences } from '../../projections/compare.ts'
import { createFiller } from '../../projections/fill.ts'
import {
  atOneMoment,
  openReadModels,
  positionOf,
  sameVersion,
  scratchStore,
} from '../../projections/read-only.ts'
import type { ReadStore } from '../../projections/store.ts'
import type { Recorded } from '../contract/stored.ts'
import { taskStream } from '../contract/task-stream.ts'
import type { ReadOnlyLog } from '../log/read-only.ts'
import { realWorld } from '../platform/world.ts'
import { createReport } from './report.ts'

/** Read models that cannot be compared with this log. */
export class Unfit extends Error {}

type Parts = { log: ReadOnlyLog; file: string; onDifference: (difference: Difference) => void }

/** Opens both, and says which position the read models have reached, each time it is asked. */
const withStores = async <T>(
  { log, file }: Parts,
  use: (stored: ReadStore, fresh: ReadStore, reached: () => number) => Promise<T>,
): Promise<T | undefined> => {
  const stored = openReadModels(file)
  if (stored === undefined) return undefined
  const fresh = scratchStore()
  try {
    if (!sameVersion(stored, fresh)) throw new Unfit('the read models are of another version')
    const reached = () => {
      const position = positionOf(stored, log)
      if (position === undefined) throw new Unfit('the read models were made from another log')
      return position
    }
    return await use(stored, fresh, reached)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code?.startsWith('SQLITE_')) throw new Unfit(`the read models cannot be read (${message})`)
    throw error
  } finally {
    stored.close()
    fresh.close()
  }
}

const fillerOf = (log: ReadOnlyLog, store: ReadStore, onProgress: (position: number) => void) =>
  createFiller({ store, log, timers: realWorld().timers, report: createReport('error') }, onProgress)

/**
 * All rows, at the position that the read models have reached: it is given back; undefined: there are none. Throws
 * Unfit and DamagedEvent.
 */
export const compareAll = (
  parts: Parts,
  onProgress: (position: number) => void,
): Promise<number | undefined> =>
  withStores(parts, async (stored, fresh, reached) => {
    const filler = fillerOf(parts.log, fresh, onProgress)
    await filler.fillTo(reached()) // takes long, and a server that moves them on is not held up by it
    return atOneMoment(stored, async () => {
      const position = reached()
      await filler.fillTo(position)
      for (const difference of differences(stored, fresh)) parts.onDifference(difference)
      return position
    })
  })

/** The same of one task; undefined also when the read models have not come to it yet. */
export const compareTask = (parts: Parts, taskId: string): Promise<number | undefined> =>
  withStores(parts, (stored, fresh, reached) =>
    atOneMoment(stored, async () => {
      const position = reached()
      async function* readAll(after = 0): AsyncGenerator<Recorded[]> {
        for await (const page of parts.log.readStream(taskStream(taskId)))
          yield page.filter(event => event.position > after && event.position <= position)
      }
      let last = 0
      for await (const page of readAll()) last = page.at(-1)?.position ?? last
      await fillerOf({ ...parts.log, readAll }, fresh, () => {}).fillTo(last)
      const row = fresh
        .prepare<[string], number>('SELECT position FROM tasks WHERE id = ?')
        .pluck()
        .get(taskId)
      if (row === undefined) return undefined
      for (const difference of differences(stored, fresh, row)) parts.onDifference(difference)
      return position
    }),
  )
