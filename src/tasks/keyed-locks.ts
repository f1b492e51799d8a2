// Work under way, by key, for those who must wait until it is over. Both functions answer at once, so a caller that finds
// its keys free can lock them before anybody else looks.

export const createKeyedLocks = () => {
  const underWay = new Map<string, Promise<unknown>>()
  return {
    /** Work under way for one of these keys; undefined: they are free. Never rejects. */
    busy(keys: readonly string[]): Promise<unknown> | undefined {
      for (const key of keys) {
        const work = underWay.get(key)
        if (work !== undefined) return work
      }
      return undefined
    },
    /** Locks the keys until the work is over; the answer unlocks them then. Work may already be under way for a key. */
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
