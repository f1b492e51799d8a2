// Owners with so many subscribers that a few are served at a time, in turns of the event loop.
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
  /** Subscribers of one owner that are served in one turn. */
  atOnce: number
}

/** Returns a function that says whether the subscribers of an owner are served in turns, and starts that if needed. */
export const createTurns = ({ live, kept, catchUp, loop, atOnce }: Parts) => {
  const served = new Set<string>()
  const serve = async (owner: string): Promise<void> => {
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
        await loop.enter(owner)
        await nextTurn()
      }
    } while (kept.upTo() > seen)
    served.delete(owner)
  }
  return (owner: string): boolean => {
    if (served.has(owner)) return true
    if (live.of(owner).size <= atOnce) return false
    void serve(owner)
    return true
  }
}
