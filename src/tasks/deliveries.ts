// Which answers arrived. A retry without a key is given the answer of an earlier request only while that one counts as
// lost, and once. This is memory: after a restart every answer counts as lost.

/** The answer of one request on its way to the caller. */
export type Delivery = {
  /** Calls back when the answer has been handed over whole, or cannot be any more; at once if that is known already. */
  onEnd(hear: (whole: boolean) => void): void
}

const keptAtMost = 100_000

/** Of each place (what one principal asks of one stream) the newest answer that does not count as lost. */
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
    /** It counts as lost until it has arrived. */
    expect(place: string, at: number, delivery: Delivery): void {
      delivery.onEnd(whole => {
        if (whole && isLost(place, at)) put(place, at, delivery)
      })
    },
    /** It counts as arrived unless this delivery fails: nobody else is given it meanwhile. */
    claim(place: string, at: number, delivery: Delivery): void {
      put(place, at, delivery)
      delivery.onEnd(whole => {
        if (!whole && newest.get(place)?.by === delivery) newest.delete(place)
      })
    },
  }
}
export type Deliveries = ReturnType<typeof createDeliveries>
