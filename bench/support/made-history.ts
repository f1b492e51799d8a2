// A data folder with a long history of equal small tasks, for benches in which only the length of the log counts, or the
// number of unfinished tasks: the log, and the read models that the projector makes from it. A log of real use is in
// real-data.ts.
import path from 'node:path'
import type { Projector } from '../../projections/projector.ts'
import { createReadModels } from '../../projections/read-models.ts'
import { openReadStore, type ReadStore } from '../../projections/store.ts'
import type { EventLog } from '../../src/log/log.ts'
import { realWorld } from '../../src/platform/world.ts'
import { type HistorySize, writeHistory } from './history.ts'
import { openFileLog } from './open-log.ts'
import { short } from './stats.ts'

const timed = async (what: string, work: () => Promise<unknown>) => {
  const began = performance.now()
  await work()
  console.log(`  (${what}: ${short((performance.now() - began) / 1000)} s)`)
}

export const makeLog = async (folder: string, size: HistorySize): Promise<void> => {
  const log = openFileLog(folder)
  await timed(`${size.events.toLocaleString('en')} events written`, () => writeHistory(log, size))
  await log.close()
}

/** Opens all read models of a folder, with the projector that keeps them up to date. */
export const openReadModels = (folder: string, log: EventLog): { store: ReadStore; projector: Projector } => {
  const store = openReadStore(path.join(folder, 'read.db'))
  const projector = createReadModels(store, log, realWorld().timers, (_level, message) =>
    console.error(message),
  )
  return { store, projector }
}

export const makeReadModels = async (folder: string): Promise<void> => {
  const log = openFileLog(folder)
  const { store, projector } = openReadModels(folder, log)
  await timed('read models made', () => projector.catchUp())
  await store.close()
  await log.close()
}
