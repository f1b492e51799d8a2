// The items that a follower has not handed to its handler yet: a few that are kept in memory, or all after its
// position, which must be read.
type Kept<T> = { items: T[]; from: number; upTo: number }

/** When more than `most` items come while the handler works, none is kept and all are read. */
export const createBacklog = <T>(most: number, isBehindAtFirst: boolean) => {
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
    /** Called when a read begins, which finds all items so far. Later items are kept. */
    beginReading(): void {
      isBehind = false
      kept = undefined
    },
    /** Items after the number `from`, up to `upTo`. */
    keep(items: readonly T[], from: number, upTo: number): void {
      if (isBehind) return
      const count = (kept?.items.length ?? 0) + items.length
      if (count > most) fallBehind()
      else if (kept === undefined) kept = { items: [...items], from, upTo }
      else {
        kept.items.push(...items)
        kept.upTo = upTo
      }
    },
    /**
     * Removes and returns the kept items, if they follow `position`. Items that do not follow it are read if they are
     * needed.
     */
    take(position: number): Kept<T> | undefined {
      const taken = kept
      kept = undefined
      if (taken === undefined || taken.from === position) return taken
      isBehind = taken.upTo > position // a page that was read meanwhile ended somewhere else
      return undefined
    },
    clear(): void {
      kept = undefined
    },
  }
}
export type Backlog<T> = ReturnType<typeof createBacklog<T>>
