// Destroys erased payloads in the files of the log, piece by piece, so that other commits come between.
import { StorageFailure } from '../contract/stored.ts'
import type { ErasureCursor, Store } from './store.ts'

const stored = <T>(work: Promise<T>): Promise<T> =>
  work.catch(error => {
    throw new StorageFailure('erased payloads could not be destroyed', { cause: error })
  })

/** Readers are waited for so often, and so many milliseconds each time. */
const mostWaits = 100
const waitMs = 50

/** Resolves to whether no trace is left. False: a reader still needs the WAL. */
export const wipeAll = async (store: Pick<Store, 'wipe'>, isAll: boolean): Promise<boolean> => {
  let wiped = await store.wipe(isAll)
  for (let waits = 0; wiped !== 'done' && waits < mostWaits; ) {
    if (wiped === 'held') {
      waits++
      await new Promise(resolve => setTimeout(resolve, waitMs))
    }
    wiped = await store.wipe(false)
  }
  return wiped === 'done'
}

export const createDestruction = (store: Pick<Store, 'noteErasure' | 'destroy' | 'wipe'>) => ({
  noteErasure: (by: number) => stored(store.noteErasure(by)),
  async destroy(by: number): Promise<void> {
    for (let after: ErasureCursor | undefined; ; ) {
      const { next } = await stored(store.destroy(by, after))
      if (next === undefined) return
      after = next
    }
  },
  wipe: (isAll: boolean) => stored(wipeAll(store, isAll)),
})
