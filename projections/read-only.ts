// Opens the read models for reading, whether a server runs meanwhile or not.
import { existsSync } from 'node:fs'
import type { Log } from '../src/contract/stored.ts'
import { openReadOnly } from '../src/platform/sqlite/open-read-only.ts'
import { renewable } from './sqlite/renewable.ts'
import { openReadStore, type ReadStore } from './store.ts'

/** Opens the read models. Undefined: the file does not exist. Throws the error of SQLite when it is no database. */
export const openReadModelsReadOnly = (path: string): ReadStore | undefined =>
  existsSync(path) ? renewable(() => openReadOnly(path), notOurs) : undefined

const notOurs = (): never => {
  throw new Error('the read models were opened for reading')
}

/** How many events the read models in a file hold; 0 when they cannot be read. */
export const eventsKnownTo = (path: string): number => {
  try {
    if (!existsSync(path)) return 0
    const db = openReadOnly(path)
    try {
      return db.prepare<[], number>('SELECT position FROM checkpoint').pluck().get() ?? 0
    } finally {
      db.close()
    }
  } catch {
    return 0
  }
}

/** An empty store in a file without a name, which disappears when its connection ends in any way. */
export const scratchStore = (): ReadStore => openReadStore('', true)

const versionOf = (store: ReadStore): unknown => store.pragma('user_version', { simple: true })

/** Whether both stores have tables of the same version. */
export const sameVersion = (one: ReadStore, other: ReadStore): boolean => versionOf(one) === versionOf(other)

/** The position up to which the read models hold all events; undefined when they were not made from this log. */
export const positionOf = (store: ReadStore, log: Log): number | undefined => {
  const at = store
    .prepare<[], { position: number; leaf: string }>('SELECT position, leaf FROM checkpoint')
    .get()
  if (at === undefined) return 0
  return log.leafAt(at.position) === at.leaf ? at.position : undefined
}

/** Runs reads in one transaction, so that all of them see the tables as they are at one moment. */
export const atOneMoment = async <T>(store: ReadStore, read: () => Promise<T>): Promise<T> => {
  store.exec('BEGIN')
  try {
    return await read()
  } finally {
    store.exec('COMMIT')
  }
}
