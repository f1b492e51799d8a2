// What a follower has not handed to its handler yet: a few items that are kept in memory, or everything from its position
// on, to be read.
type Kept<T> = { items: T[]; from: number; upTo: number }

/** When more than `most` items come while the handler works, none of them is kept and all are read. */
export const createBacklog = <T>(most: number, isBehindAtFirst: boolean) => {
  let isBehind = isBehindAtFirst
  let kept: Kept<T> | undefined

  const fallBehind = (): void => {
    isBehind = true
    kept = undefined
  }
  return {
    /** There is something to read. */
    isBehind: () => isBehind,
    fallBehind,
    /** A reading begins that finds everything that came until now. What comes from now on is kept. */
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
    /** What is kept, if it follows `position`; what does not follow it is read if it is needed. It is kept no more. */
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
