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
  const newest = new Map<string, { at: number; by: Delivery }>()
  const isLost = (place: string, at: number): boolean => at > (newest.get(place)?.at ?? -1)
  const put = (place: string, at: number, by: Delivery) => {
    newest.delete(place)
    newest.set(place, { at, by })
    const oldest = newest.size > keptAtMost ? newest.keys().next().value : undefined
    if (oldest !== undefined) newest.delete(oldest)
  }
  return {
    isLost,
    /** The answer counts as lost until it has arrived. */
    expect(place: string, at: number, delivery: Delivery): void {
      delivery.onEnd(whole => {
        if (whole && isLost(place, at)) put(place, at, delivery)
      })
    },
    /** The answer counts as arrived unless this delivery fails, so no other retry gets it meanwhile. */
    claim(place: string, at: number, delivery: Delivery): void {
      put(place, at, delivery)
      delivery.onEnd(whole => {
        if (!whole && newest.get(place)?.by === delivery) newest.delete(place)
      })
    },
  }
}
export type Deliveries = ReturnType<typeof createDeliveries>
