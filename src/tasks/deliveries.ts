// Remembers which answers arrived. A retry without a key gets the answer of an earlier request once, and only while
// that answer counts as lost. This is remembered only in memory: after a restart every answer counts as lost.

/** The answer of one request on its way to the caller. */
export type Delivery = {
  /** Calls `hear` when it is known whether the answer was handed over whole; at once if it is known already. */
  onEnd(hear: (whole: boolean) => void): void
}

/** The most answers that are remembered as arrived. */
const keptAtMost = 100_000

/** For each place, the newest answer that is not lost. A place: the requests of one principal to one stream. */
export const createDeliveries = () => {
  const newest = new Map<string, { at: number }>()
  const isLost = (place: string, at: number): boolean => at > (newest.get(place)?.at ?? -1)
  const put = (place: string, at: number) => {
    const arrived = { at }
    newest.delete(place)
    newest.set(place, arrived)
    const oldest = newest.size > keptAtMost ? newest.keys().next().value : undefined
    if (oldest !== undefined) newest.delete(oldest)
    return arrived
  }
  return {
    isLost,
    /** The answer counts as lost until it has arrived. */
    expect(place: string, at: number, delivery: Delivery): void {
      delivery.onEnd(whole => {
        if (whole && isLost(place, at)) put(place, at)
      })
    },
    /** The answer counts as arrived unless this delivery fails, so no other retry gets it meanwhile. */
    claim(place: string, at: number, delivery: Delivery): void {
      const own = put(place, at)
      delivery.onEnd(whole => {
        if (!whole && newest.get(place) === own) newest.delete(place)
      })
    },
  }
}
export type Deliveries = ReturnType<typeof createDeliveries>
