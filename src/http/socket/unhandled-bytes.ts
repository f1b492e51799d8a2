// Counts the bytes of one connection that have arrived and are not handled yet. They count in the share of the
// connection's principal, or in the share of all connections that have not authenticated yet.
import type { Principal } from '../../contract/events/token-events.ts'
import { type BodyBudget, holderOf } from '../body/budget.ts'

export type UnhandledBytes = ReturnType<typeof createUnhandledBytes>

export const createUnhandledBytes = (budget: BodyBudget) => {
  let bytes = 0
  let holder = holderOf(undefined)
  return {
    bytes: () => bytes,
    /** Counts bytes. Returns false if the budget is exceeded. */
    take(count: number): boolean {
      bytes += count
      return budget.take(holder, count)
    },
    giveBack(): void {
      budget.give(holder, bytes)
      bytes = 0
    },
    /** From now on the bytes count in the share of this principal. */
    moveTo(principal: Principal): void {
      budget.give(holder, bytes)
      holder = holderOf(principal)
      budget.take(holder, bytes)
    },
  }
}
