// Compares the read models with the log: builds them a second time, in a scratch file, and compares them row by row.
import { type Difference, differences } from '../../../projections/compare.ts'
import { createFiller } from '../../../projections/fill.ts'
import {
  atOneMoment,
  openReadModelsReadOnly,
  positionOf,
  sameVersion,
  scratchStore,
} from '../../../projections/read-only.ts'
import type { ReadStore } from '../../../projections/store.ts'
import type { Recorded } from '../../contract/stored.ts'
import { taskStream } from '../../contract/task-stream.ts'
import type { ReadOnlyLog } from '../../log/read-only.ts'
import { resultOf } from '../../platform/sqlite/errors.ts'
import { realWorld } from '../../platform/world.ts'
import { createReport } from '../terminal/report.ts'

/** Thrown when the read models cannot be compared with this log. */
export class Unfit extends Error {}

type Deps = { log: ReadOnlyLog; file: string; onDifference: (difference: Difference) => void }

/**
 * Opens the stored read models and an empty store for `use`. `reached` returns the position that the stored read models
 * have reached at the moment of the call. Resolves to undefined when there are no read models.
 */
const withStores = async <T>(
  { log, file }: Deps,
  use: (stored: ReadStore, fresh: ReadStore, reached: () => number) => Promise<T>,
): Promise<T | undefined> => {
  const stored = openReadModelsReadOnly(file)
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
    if (resultOf(error) !== undefined)
      throw new Unfit(`the read models cannot be read (${(error as Error).message})`)
    throw error
  } finally {
    await stored.close()
    await fresh.close()
  }
}

const fillerOf = (log: ReadOnlyLog, store: ReadStore, onProgress: (position: number) => void) =>
  createFiller({ store, log, timers: realWorld().timers, report: createReport('error') }, onProgress)

/**
 * Compares all rows at the position that the read models have reached. Resolves to that position, or to undefined when
 * there are no read models. Rejects with Unfit or DamagedEvent.
 */
export const compareAll = (deps: Deps, onProgress: (position: number) => void): Promise<number | undefined> =>
  withStores(deps, async (stored, fresh, reached) => {
    const filler = fillerOf(deps.log, fresh, onProgress)
    await filler.fillTo(reached()) // a server may write during this long step, so the rest is filled below
    return atOneMoment(stored, async () => {
      const position = reached()
      await filler.fillTo(position)
      for (const difference of differences(stored, fresh)) deps.onDifference(difference)
      return position
    })
  })

/** Compares the rows of one task. Resolves to undefined also when the read models do not have the task yet. */
export const compareTask = (deps: Deps, taskId: string): Promise<number | undefined> =>
  withStores(deps, (stored, fresh, reached) =>
    atOneMoment(stored, async () => {
      const position = reached()
      async function* readAll(after = 0): AsyncGenerator<Recorded[]> {
        for await (const page of deps.log.readStream(taskStream(taskId)))
          yield page.filter(event => event.position > after && event.position <= position)
      }
      let last = 0
      for await (const page of readAll()) last = page.at(-1)?.position ?? last
      await fillerOf({ ...deps.log, readAll }, fresh, () => {}).fillTo(last)
      const row = fresh
        .prepare<[string], number>('SELECT position FROM tasks WHERE id = ?')
        .pluck()
        .get(taskId)
      if (row === undefined) return undefined
      for (const difference of differences(stored, fresh, row)) deps.onDifference(difference)
      return position
    }),
  )
