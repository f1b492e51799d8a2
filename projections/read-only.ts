// The read models as a reader sees them, beside the server that moves them or without one.
import { existsSync } from 'node:fs'
import type { Log } from '../src/contract/stored.ts'
import { openFileReadOnly } from '../src/log/read-only.ts'
import { renewable } from './renewable.ts'
import { openReadStore, type ReadStore } from './store.ts'

/** Undefined: there are none. Throws what SQLite says of a file that is none of its own. */
export const openReadModels = (path: string): ReadStore | undefined =>
  existsSync(path) ? renewable(() => openFileReadOnly(path), notOurs) : undefined

const notOurs = (): never => {
  throw new Error('the read models were opened for reading')
}

/** How many events the read models of a folder know; 0, too, when they cannot be asked. */
export const eventsKnownTo = (path: string): number => {
  try {
    const store = openReadModels(path)
    const position = store?.prepare<[], number>('SELECT position FROM checkpoint').pluck().get()
    store?.close()
    return position ?? 0
  } catch {
    return 0
  }
}

/** A store on the disk without a name, empty: it is gone with its connection, however that ends. */
export const scratchStore = (): ReadStore => openReadStore('', true)

const versionOf = (store: ReadStore): unknown => store.pragma('user_version', { simple: true })

/** Whether both have the same tables. */
export const sameVersion = (one: ReadStore, other: ReadStore): boolean => versionOf(one) === versionOf(other)

/** Which events they hold: all up to this position. Undefined: they were not made from this log. */
export const positionOf = (store: ReadStore, log: Log): number | undefined => {
  const at = store
    .prepare<[], { position: number; leaf: string }>('SELECT position, leaf FROM checkpoint')
    .get()
  if (at === undefined) return 0
  return log.leafAt(at.position) === at.leaf ? at.position : undefined
}

/** Everything that is read meanwhile is of one moment. */
export const atOneMoment = async <T>(store: ReadStore, read: () => Promise<T>): Promise<T> => {
  store.exec('BEGIN')
  try {
    return await read()
  } finally {
    store.exec('COMMIT')
  }
}
