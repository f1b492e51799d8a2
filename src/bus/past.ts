// Reads pages of past events for many readers. Users take turns, and other work gets a turn of the event loop between
// two pages. The newest pages are kept, so that readers that need the same page at about the same time share it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Log } from '../contract/stored.ts'
import { createFairTurns } from '../fairness/fair-turns.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import { type Published, pastOf } from './published.ts'

/** The public events of one page of the log. `end`: the position of the last event of that page, public or not. */
export type Page = { events: readonly Published[]; end: number }

/** At most this many pages are kept in memory for other readers. */
const pagesKept = 16

export const createPast = (log: Pick<Log, 'readAll'>, loop: LoopShares) => {
  const turn = createFairTurns({ places: 1, perUser: 1 })
  /** The kept pages, by the position after which they begin. The page that was read first comes first. */
  const kept = new Map<number, Page>()

  const read = async (position: number): Promise<Page | undefined> => {
    for await (const recorded of log.readAll(position)) {
      const last = recorded.at(-1)
      if (last === undefined) continue
      const page = { events: pastOf(recorded), end: last.position }
      kept.set(position, page)
      const [oldest] = kept.keys()
      if (kept.size > pagesKept && oldest !== undefined) kept.delete(oldest)
      return page
    }
    return undefined
  }

  return {
    /** Drops the kept pages, since some of their events were erased. */
    forget: (): void => kept.clear(),
    /** The page after a position; undefined: nothing is stored after it. */
    async after(position: number, user: string | undefined): Promise<Page | undefined> {
      // Nobody else can read during a turn. So a user who must wait for the event loop waits before the turn begins.
      if (user !== undefined) await loop.enter(user)
      return turn(user ?? '', async () => {
        await nextTurn()
        return kept.get(position) ?? read(position)
      })
    },
  }
}
export type Past = ReturnType<typeof createPast>
