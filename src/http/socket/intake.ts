// Bytes that came on one connection and are not dealt with yet. They count in the share of whom the connection stands for.
import type { Principal } from '../../contract/token-events.ts'
import { type BodyBudget, holderOf } from '../body/budget.ts'

export type Intake = ReturnType<typeof createIntake>

export const createIntake = (budget: BodyBudget) => {
  let bytes = 0
  let holder = holderOf(undefined)
  return {
    bytes: () => bytes,
    /** False: it is more than the budget allows. */
    take(count: number): boolean {
      bytes += count
      return budget.take(holder, count)
    },
    giveBack(): void {
      budget.give(holder, bytes)
      bytes = 0
    },
    /** From now on they count in the share of this principal. */
    moveTo(principal: Principal): void {
      budget.give(holder, bytes)
      holder = holderOf(principal)
      budget.take(holder, bytes)
    },
  }
}
