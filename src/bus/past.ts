// Pages of past events for many readers. Users take turns, and the event loop turns between two pages. Readers that
// need the same page within a short time share it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Log } from '../contract/stored.ts'
import { createFairTurns } from '../fairness/fair-turns.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import { type Published, publishedOf } from './published.ts'

/** Public events. `end`: the position of the last event that was read, public or not. */
export type Page = { events: readonly Published[]; end: number }

const pagesKept = 16

export const createPast = (log: Pick<Log, 'readAll'>, loop: LoopShares) => {
  const turn = createFairTurns({ most: 1, mostOfOne: 1 })
  /** Pages by the position that they come after, the oldest page first. */
  const kept = new Map<number, Page>()

  const read = async (position: number): Promise<Page | undefined> => {
    for await (const recorded of log.readAll(position)) {
      const last = recorded.at(-1)
      if (last === undefined) continue
      const page = { events: publishedOf(recorded), end: last.position }
      kept.set(position, page)
      const [oldest] = kept.keys()
      if (kept.size > pagesKept && oldest !== undefined) kept.delete(oldest)
      return page
    }
    return undefined
  }

  return {
    /** The page after a position; undefined: nothing is stored there. */
    after: (position: number, user: string | undefined): Promise<Page | undefined> =>
      turn(user ?? '', async () => {
        await (user === undefined ? undefined : loop.enter(user))
        await nextTurn()
        return kept.get(position) ?? read(position)
      }),
  }
}
export type Past = ReturnType<typeof createPast>
