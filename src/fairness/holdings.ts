import { TransientMap } from '../platform/transient.ts'
import { createCounts } from './counts.ts'

/** Stops counting something, because it was not created or because it has ended. Further calls do nothing. */
export type Release = () => void

/** Counts tasks or sessions by their id. Each counts once, from the beginning of its creation. */
export const createHoldings = () => {
  const known = new TransientMap<string, { user: string; isStored: boolean }>()
  const counts = createCounts()
  const put = (id: string, user: string, isStored: boolean) => {
    const before = known.get(id)
    if (before === undefined) counts.add(user, 1)
    else if (isStored) before.isStored = true
    if (before === undefined) known.set(id, { user, isStored })
  }
  const remove = (id: string) => {
    const before = known.get(id)
    if (before === undefined) return
    known.delete(id)
    counts.add(before.user, -1)
  }
  return {
    of: counts.of,
    total: counts.total,
    has: (id: string) => known.has(id),
    /**
     * Counts a task or session that is being created. The returned function stops counting it, unless it has been
     * stored by then.
     */
    hold(id: string, user: string): Release {
      put(id, user, false)
      return () => {
        if (known.get(id)?.isStored === false) remove(id)
      }
    },
    store: (id: string, user: string) => put(id, user, true),
    remove,
    /** Replaces the stored tasks or sessions. Those that are being created stay counted. */
    fill(rows: Iterable<{ id: string; user: string }>): void {
      for (const [id, { isStored }] of known) if (isStored) remove(id)
      for (const { id, user } of rows) put(id, user, true)
    },
  }
}
