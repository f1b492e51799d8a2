// Remembers which answers to steps and resets arrived. A retry without a key gets the answer of the newest request once,
// and only while that answer counts as lost. This is remembered only in memory: after a restart every answer counts as
// lost. An answer that is on its way counts as lost, too: unlike things that are made, a session has only one newest
// request, so no other caller can get it.
import type { Delivery } from '../once/once.ts'

/** The most answers that are remembered as arrived. */
const mostInMemory = 100_000

/** For each place, the newest answer that is not lost. A place: the requests of one principal to one stream. */
export const createDeliveries = () => {
  const newest = new Map<string, { at: number }>()
  const isLost = (place: string, at: number): boolean => at > (newest.get(place)?.at ?? -1)
  const put = (place: string, at: number) => {
    const arrived = { at }
    newest.delete(place)
    newest.set(place, arrived)
    const oldest = newest.size > mostInMemory ? newest.keys().next().value : undefined
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
