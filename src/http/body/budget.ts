// The memory that bodies and messages may take while they are received and read: a limit for all together, and a share
// of it for each holder. So a holder that sends slowly, or much, causes no refusal of others.
import { callerOf, type Principal } from '../../contract/token-events.ts'

/** Memory for all bodies and messages together, bytes. */
const allBodies = 256 * 1024 * 1024
/** The fraction of it that one holder may take. */
const share = 1 / 4

/** The holder whose share of the budget counts. All connections that have not authenticated yet are one holder. */
export const holderOf = (principal: Principal | undefined): string =>
  principal === undefined ? 'unknown' : callerOf(principal)

export type BodyBudget = ReturnType<typeof createBodyBudget>
export const createBodyBudget = (most = allBodies, ownMost = most * share) => {
  const held = new Map<string, number>()
  let all = 0
  return {
    /**
     * Takes bytes from the budget. False: a limit is exceeded; the bytes count all the same, until they are given back.
     */
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
