// Destroys erased payloads in the files of the log. Each commit destroys only some, so that other commits come between.
import { StorageFailure } from '../contract/stored.ts'
import type { ErasureCursor, Store } from './store.ts'

const stored = <T>(work: Promise<T>): Promise<T> =>
  work.catch(error => {
    throw new StorageFailure('erased payloads could not be destroyed', { cause: error })
  })

export const createDestruction = (store: Pick<Store, 'destroy' | 'wipe'>) => ({
  async destroy(by: number): Promise<boolean> {
    for (let after: ErasureCursor | undefined; ; ) {
      const { next, isGone } = await stored(store.destroy(by, after))
      if (next === undefined) return isGone
      after = next
    }
  },
  wipe: () => stored(store.wipe()),
})
