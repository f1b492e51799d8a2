// A store whose disk fails when told to. As the port says, after a failed write it must be opened anew.
import type { Store } from '../../src/log/store.ts'

export type Faults = {
  /** The next writes fail: `before` anything is stored, or `after` everything is. */
  write: 'before' | 'after' | undefined
  reopen: boolean
  end: boolean
  writes: number
  reopens: number
}

export const faultyStore = (store: Store): { store: Store; faults: Faults } => {
  const faults: Faults = { write: undefined, reopen: false, end: false, writes: 0, reopens: 0 }
  let broken = false
  const turn = () => new Promise(resolve => setImmediate(resolve))
  const faulty: Store = {
    ...store,
    async write(batch) {
      faults.writes++
      const how = faults.write
      const refused = broken
      if (how !== undefined) broken = true
      await turn()
      if (refused) throw new Error('not opened anew')
      if (how !== 'before') await store.write(batch)
      if (how !== undefined) throw new Error('disk I/O error')
    },
    async reopen() {
      faults.reopens++
      await turn()
      if (faults.reopen) throw new Error('database or disk is full')
      await store.reopen()
      broken = false
    },
    last() {
      if (faults.end) throw new Error('disk I/O error')
      return store.last()
    },
  }
  return { store: faulty, faults }
}
