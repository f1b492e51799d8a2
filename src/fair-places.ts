// Places for work that takes memory: some for each caller, some in all. Who finds none waits; callers take turns, and
// each caller's own wait in order.

export type FairPlaces = ReturnType<typeof createFairPlaces>

export type PlaceLimits = {
  /** Held by one caller at once. */
  each: number
  /** Held by all callers together. */
  all: number
}

export const createFairPlaces = ({ each, all }: PlaceLimits) => {
  const held = new Map<string, number>()
  let taken = 0
  const waiting = new Map<string, (() => void)[]>()

  const mayTake = (caller: string) => taken < all && (held.get(caller) ?? 0) < each
  const take = (caller: string) => {
    taken++
    held.set(caller, (held.get(caller) ?? 0) + 1)
  }
  const serve = () => {
    if (taken >= all) return
    for (const [caller, queue] of waiting) {
      if (!mayTake(caller)) continue
      const go = queue.shift()
      waiting.delete(caller)
      if (queue.length > 0) waiting.set(caller, queue) // behind the others
      take(caller)
      return void go?.()
    }
  }
  const leave = (caller: string) => {
    taken--
    const left = (held.get(caller) ?? 1) - 1
    if (left > 0) held.set(caller, left)
    else held.delete(caller)
    serve()
  }

  return {
    /** Resolves when there is a place; whoever took it calls the answer once, to leave it. */
    async enter(caller: string): Promise<() => void> {
      if (mayTake(caller)) take(caller)
      else {
        await new Promise<void>(resolve => {
          const queue = waiting.get(caller)
          if (queue === undefined) waiting.set(caller, [resolve])
          else queue.push(resolve)
        })
      }
      let isLeft = false
      return () => {
        if (isLeft) return
        isLeft = true
        leave(caller)
      }
    },
    /** Whether this caller holds all that it may. */
    isFull: (caller: string): boolean => (held.get(caller) ?? 0) >= each,
    /** How many wait of this caller. */
    waiting: (caller: string): number => waiting.get(caller)?.length ?? 0,
  }
}
