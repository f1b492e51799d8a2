// Limits the memory that bodies and messages take while the server receives and reads them. All of them together have
// one limit, and those of each holder (a caller) may take a share of that limit. Therefore a caller that sends slowly,
// or sends a lot, does not cause refusals for other callers.

import { callerOf, type Principal } from '../../contract/events/token-events.ts'
import { Refusal } from '../../contract/refusals.ts'

/** The most memory that all bodies and messages together may take, in bytes. */
const allBodies = 256 * 1024 * 1024
/** The largest fraction of that memory that one holder may take. */
const share = 1 / 4

/**
 * The name of the holder that a principal belongs to. All connections that have not authenticated yet are one holder.
 */
export const holderOf = (principal: Principal | undefined): string =>
  principal === undefined ? 'unknown' : callerOf(principal)

export type BodyBudget = ReturnType<typeof createBodyBudget>
/** `refused`: called for each body or message that is refused because of the budget. */
export const createBodyBudget = (refused: () => void, max = allBodies, ownMost = max * share) => {
  const held = new Map<string, number>()
  let all = 0
  return {
    /**
     * Takes bytes from the budget. Returns false if a limit is exceeded. The bytes count in both cases, until they are
     * given back.
     */
    take(holder: string, bytes: number): boolean {
      const own = (held.get(holder) ?? 0) + bytes
      held.set(holder, own)
      all += bytes
      return all <= max && own <= ownMost
    },
    /** The refusal of a body or a message for which `take` returned false. */
    refusal(): Refusal {
      refused()
      return new Refusal('Busy', { quota: 'bodies' })
    },
    give(holder: string, bytes: number): void {
      const own = (held.get(holder) ?? 0) - bytes
      if (own === 0) held.delete(holder)
      else held.set(holder, own)
      all -= bytes
    },
  }
}
