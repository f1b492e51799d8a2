// Locks by key, for callers that must wait until other work has ended. Both functions are synchronous, so a caller that
// finds its keys free can lock them before another caller looks.

import { TransientMap } from '../platform/transient.ts'
export const createLocks = () => {
  /** The work that holds each key. */
  const underWay = new TransientMap<string, Set<Promise<unknown>>>()
  return {
    /** The running work for one of these keys; undefined when the keys are free. Never rejects. */
    busy(keys: readonly string[]): Promise<unknown> | undefined {
      for (const key of keys) {
        const work = underWay.get(key)
        if (work !== undefined) return Promise.all(work)
      }
      return undefined
    },
    /** Locks the keys for the work, even if other work holds one of them. The returned function unlocks them. */
    lock(keys: readonly string[], work: Promise<unknown>): () => void {
      const over = work.then(ignore, ignore)
      for (const key of keys) underWay.set(key, (underWay.get(key) ?? new Set()).add(over))
      return () => {
        for (const key of keys) {
          const others = underWay.get(key)
          others?.delete(over)
          if (others?.size === 0) underWay.delete(key)
        }
      }
    },
  }
}

const ignore = () => {}
