// Serves the subscribers of an owner with very many subscribers: a limited number of them in each turn of the event
// loop. A subscriber gets all events that were published since its last turn in one write. So an event costs less when
// events come faster than the subscribers can be served one event at a time.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LoopShares } from '../fairness/loop-shares.ts'
import type { CatchUp } from './catch-up.ts'
import type { KeptEvents } from './kept-events.ts'
import type { LiveSubscribers } from './live-subscribers.ts'

type Parts = {
  live: LiveSubscribers
  kept: KeptEvents
  catchUp: CatchUp
  loop: LoopShares
  /** The largest number of subscribers of one owner that are served in one turn of the event loop. */
  atOnce: number
}

export const createTurns = ({ live, kept, catchUp, loop, atOnce }: Parts) => {
  const served = new Set<string | undefined>()
  const serve = async (owner: string | undefined): Promise<void> => {
    served.add(owner)
    let seen: number
    do {
      seen = kept.upTo()
      let inTurn = 0
      for (const subscriber of [...live.of(owner)]) {
        if (subscriber.state !== 'live' || subscriber.position >= kept.upTo()) continue
        live.leave(subscriber, 'reading')
        catchUp(subscriber)
        if (++inTurn % atOnce !== 0) continue
        if (owner !== undefined) await loop.enter(owner)
        await nextTurn()
      }
    } while (kept.upTo() > seen)
    served.delete(owner)
  }
  return {
    /**
     * Call it with the owner of new events; undefined: for the subscribers that see the events of all. Returns true
     * when these subscribers are too many for one turn; then they are served here.
     */
    take(owner: string | undefined): boolean {
      if (served.has(owner)) return true
      if (live.of(owner).size <= atOnce) return false
      void serve(owner)
      return true
    },
    /** Whether live subscribers of the owner may still wait for their turn. */
    isBusy: (owner: string | undefined): boolean => served.has(owner),
  }
}
