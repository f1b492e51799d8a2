// The memory that bodies and messages under way may take: all of them together, and each holder's share of it, so that one
// who sends slowly, or much, refuses nobody else.
import { callerOf, type Principal } from '../../contract/token-events.ts'

const allBodies = 256 * 1024 * 1024
/** The part of it that one holder may take. */
const share = 1 / 4

/** Those who share a part of the budget; connections that have not said who they are have one together. */
export const holderOf = (principal: Principal | undefined): string =>
  principal === undefined ? 'unknown' : callerOf(principal)

export type BodyBudget = ReturnType<typeof createBodyBudget>
export const createBodyBudget = (most = allBodies, ownMost = most * share) => {
  const held = new Map<string, number>()
  let all = 0
  return {
    /** False: it is too much. It counts all the same, until it is given back. */
    take(holder: string, bytes: number): boolean {
      const own = (held.get(holder) ?? 0) + bytes
      held.set(holder, own)
      all += bytes
      return all <= most && own <= ownMost
    },
    give(holder: string, bytes: number): void {
      const own = (held.get(holder) ?? 0) - bytes
      if (own === 0) held.delete(holder)
      else held.set(holder, own)
      all -= bytes
    },
  }
}
