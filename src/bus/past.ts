// Reads pages of past events for many readers. Users take turns, and other work gets a turn of the event loop between
// two pages. The newest pages are kept, so that readers that need the same page at about the same time share it.
import type { Log } from '../contract/stored.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import { createPlaces } from '../fairness/places.ts'
import { yieldToLoop } from '../platform/loop.ts'
import type { Page as PageOf, Past } from './broadcast.ts'
import type { EventFilter } from './event-filter.ts'
import { type Published, pastOf } from './published.ts'

/** The public events of one page of the log. `upTo` is the position of the last event of that page, public or not. */
type Page = PageOf<Published>

/** At most this many pages are kept in memory for other readers. */
const pagesInMemory = 16

export type PastLog = Pick<Log, 'head' | 'readAll' | 'readSession'>

export const createPast = (log: PastLog, loop: LoopShares) => {
  const { hold } = createPlaces({ places: 1, perUser: 1 })
  /** The kept pages, by the position after which they begin. The page that was read first comes first. */
  const kept = new Map<number, Page>()

  const read = async (position: number): Promise<Page | undefined> => {
    for await (const recorded of log.readAll(position)) {
      const last = recorded.at(-1)
      if (last === undefined) continue
      const page = { entries: pastOf(recorded), upTo: last.position }
      kept.set(position, page)
      const [oldest] = kept.keys()
      if (kept.size > pagesInMemory && oldest !== undefined) kept.delete(oldest)
      return page
    }
    return undefined
  }

  /** Reads one page in the turn of a user. Nobody else can read during a turn. */
  const inTurn = async <T>(user: string | undefined, readOne: () => Promise<T>): Promise<T> => {
    // A user who must wait for the event loop waits before the turn begins.
    if (user !== undefined) await loop.enter(user)
    return hold(user ?? '', async () => {
      await yieldToLoop()
      return readOne()
    })
  }
  /** The page after a position; undefined: nothing is stored after it. */
  const pageAfter = (position: number, user: string | undefined): Promise<Page | undefined> =>
    inTurn(user, async () => kept.get(position) ?? read(position))

  /**
   * Pages with the events of one session after a position, which an index finds. The last page has no events; it ends at
   * the last position that was stored when reading began.
   */
  async function* pagesOf(session: string, after: number, user: string | undefined): AsyncGenerator<Page> {
    const upTo = log.head()
    const pages = log.readSession(session, after)[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value: recorded } = await inTurn(user, () => pages.next())
        if (done) break
        yield { entries: pastOf(recorded), upTo: recorded.at(-1)?.position ?? after }
      }
      yield { entries: [], upTo }
    } finally {
      await pages.return?.()
    }
  }

  return {
    /** Drops the kept pages, since some of their events were erased. */
    forget: (): void => kept.clear(),
    after: pageAfter,
    /** The past of one subscriber. If it follows a session, the events of others are not read. */
    of({ owner, sessionId }: EventFilter): Past<Published> {
      if (sessionId === undefined) return { next: after => pageAfter(after, owner), close() {} }
      let pages: AsyncGenerator<Page> | undefined
      return {
        async next(after) {
          pages ??= pagesOf(sessionId, after, owner)
          const { value } = await pages.next()
          return value ?? pageAfter(after, owner)
        },
        close() {
          void pages?.return(undefined)
          pages = undefined
        },
      }
    },
  }
}
