// Keeps the items that a follower has not handed to its handler yet. Few items are kept in memory. When there are more,
// they must be read: then the backlog is `behind` and keeps nothing.
type Kept<T> = { items: T[]; from: number; upTo: number }

/** When more than `max` items come while the handler works, the backlog keeps none of them and all must be read. */
export const createBacklog = <T>(max: number, isBehindAtFirst: boolean) => {
  let isBehind = isBehindAtFirst
  let kept: Kept<T> | undefined

  const fallBehind = (): void => {
    isBehind = true
    kept = undefined
  }
  return {
    /** Whether something must be read. */
    isBehind: () => isBehind,
    fallBehind,
    /** Called when a read begins. The read finds all items that are stored by then; later items are kept. */
    beginReading(): void {
      isBehind = false
      kept = undefined
    },
    /** Items after the number `from`, up to `upTo`. */
    keep(items: readonly T[], from: number, upTo: number): void {
      if (isBehind) return
      const count = (kept?.items.length ?? 0) + items.length
      if (count > max) fallBehind()
      else if (kept === undefined) kept = { items: [...items], from, upTo }
      else {
        kept.items.push(...items)
        kept.upTo = upTo
      }
    },
    /**
     * Removes the kept items, and returns them if they follow `position`. If they do not, some items between are
     * missing: the backlog is then behind, unless the kept items end at `position` or before it.
     */
    take(position: number): Kept<T> | undefined {
      const taken = kept
      kept = undefined
      if (taken === undefined || taken.from === position) return taken
      isBehind = taken.upTo > position // items between the last page and the kept items were never read
      return undefined
    },
    clear(): void {
      kept = undefined
    },
  }
}
export type Backlog<T> = ReturnType<typeof createBacklog<T>>
