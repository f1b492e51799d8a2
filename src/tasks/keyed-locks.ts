// Locks by key, for callers that must wait until other work has ended. Both functions are synchronous, so a caller that
// finds its keys free can lock them before another caller looks.

import { createTransientMap } from '../platform/transient.ts'
export const createKeyedLocks = () => {
  const underWay = createTransientMap<string, Promise<unknown>>()
  return {
    /** The running work for one of these keys; undefined when the keys are free. Never rejects. */
    busy(keys: readonly string[]): Promise<unknown> | undefined {
      for (const key of keys) {
        const work = underWay.get(key)
        if (work !== undefined) return work
      }
      return undefined
    },
    /** Locks the keys for the work, even if other work holds one of them. The returned function unlocks them. */
    lock(keys: readonly string[], work: Promise<unknown>): () => void {
      const over = work.then(ignore, ignore)
      const held = keys.map(key => {
        const before = underWay.get(key)
        const all = before === undefined ? over : Promise.all([before, over])
        underWay.set(key, all)
        return { key, all }
      })
      return () => {
        for (const { key, all } of held) if (underWay.get(key) === all) underWay.delete(key)
      }
    },
  }
}

const ignore = () => {}
