// Hands numbered items to the handler of one reader: first past items, then new ones, without a gap or a repeat. The
// handler gets one batch at a time. While it works, a few new items are kept in memory. When more come, all of these
// items are read again from where they are stored.
import { yieldToLoop } from '../../platform/loop.ts'
import { type Backlog, createBacklog } from './backlog.ts'
import { createProgress, type Failure, type Progress } from './progress.ts'

/** All items after the requested number, up to the number `upTo`. `isLast`: nothing more is stored. */
export type Page<T> = { items: readonly T[]; upTo: number; isLast: boolean }

/**
 * Gets items in order, never an empty list. Other readers may get the same list, so a handler must not change it. If
 * the handler returns a promise, the next batch waits for that promise.
 */
export type Handler<T> = (items: readonly T[]) => void | Promise<void>

export type FollowerDeps<T> = {
  /** The reader begins after this number. */
  after: number
  /** Whether nothing is stored after the number `after` yet, so that there is nothing to read first. */
  hasAll?: boolean
  read: (after: number) => Page<T> | Promise<Page<T>>
  handle: Handler<T>
  /** Awaited before each read. The caller uses it to wait for a free place or for a turn of the event loop. */
  beforeRead?: (() => void | Promise<void>) | undefined
  /** The largest number of items that are kept while the handler works. When more come, all of them are read again. */
  keptAtMost: number
  /** Called once, when the reader has ended in any way. */
  onEnd: () => void
}

/** A reader of the log, as its owner sees it. */
export type Subscription = {
  /** Everything up to this number was handled. */
  position(): number
  /** Resolves when everything up to a number was handled; rejects when the subscription ends before that. */
  reached(position: number): Promise<void>
  /** Ends the subscription. Resolves when the handler is done, so the handler itself must not await the promise. */
  stop(): Promise<void>
  /**
   * Resolves when the reader was stopped. Rejects with the error of the handler or of reading; after an error the
   * handler gets nothing more.
   */
  done: Promise<void>
}

const subscriptionOf = ({ position, reached, done }: Progress, end: () => void): Subscription => ({
  position,
  reached,
  stop() {
    end()
    return done
  },
  done,
})

/** Hands a batch that ends at the number `upTo` to the handler. Returns a promise if the handler does. */
type Hand<T> = (items: readonly T[], upTo: number) => Promise<void> | undefined

/** Returns a function that reads the next page and hands it over. */
const pageReader =
  <T>(deps: FollowerDeps<T>, progress: Progress, backlog: Backlog<T>, hand: Hand<T>) =>
  async (): Promise<void> => {
    const ready = deps.beforeRead?.()
    if (ready instanceof Promise) await ready
    if (progress.isOver()) return
    backlog.beginReading()
    const found = deps.read(progress.position())
    const page = found instanceof Promise ? await found : found
    if (progress.isOver()) return
    if (!page.isLast) backlog.fallBehind()
    const handled = hand(page.items, page.upTo)
    if (handled !== undefined) await handled
    if (backlog.isBehind()) await yieldToLoop()
  }

export const createFollower = <T>(deps: FollowerDeps<T>) => {
  const progress = createProgress(deps.after)
  const backlog = createBacklog<T>(deps.keptAtMost, !deps.hasAll)
  /** Whether the follower reads or its handler works. */
  let isBusy = backlog.isBehind()

  const end = (failure?: Failure) => {
    if (progress.isOver()) return
    progress.end(failure)
    backlog.clear()
    deps.onEnd()
    if (!isBusy) progress.settle()
  }
  const hand: Hand<T> = (items, upTo) => {
    const handled = items.length === 0 ? undefined : deps.handle(items)
    if (handled instanceof Promise) return handled.then(() => progress.moveTo(upTo))
    progress.moveTo(upTo)
    return undefined
  }
  const readPage = pageReader(deps, progress, backlog, hand)
  /** Reads and hands over items until none is left. */
  const catchUp = async (handling?: Promise<void>): Promise<void> => {
    isBusy = true
    try {
      await handling
      while (!progress.isOver()) {
        const kept = backlog.take(progress.position())
        if (kept !== undefined) await hand(kept.items, kept.upTo)
        else if (backlog.isBehind()) await readPage()
        else break
      }
    } catch (error) {
      end({ error })
    }
    isBusy = false
    if (progress.isOver()) progress.settle()
  }
  // The first read begins later: it may call the handler, and the caller must have its subscription by then.
  if (isBusy) queueMicrotask(() => void catchUp())

  return {
    /**
     * Takes items that were just stored. They are all items of this reader with numbers after `from` and up to `upTo`.
     */
    hear(items: readonly T[], from: number, upTo: number): void {
      if (progress.isOver() || upTo <= progress.position()) return
      if (isBusy) {
        backlog.keep(items, from, upTo)
        return
      }
      if (from !== progress.position()) {
        backlog.fallBehind()
        void catchUp()
        return
      }
      try {
        const handling = hand(items, upTo)
        if (handling !== undefined) void catchUp(handling)
      } catch (error) {
        end({ error })
      }
    },
    /** Called when more items may be stored than `hear` was called with. */
    lookAgain(): void {
      backlog.fallBehind()
      if (!isBusy && !progress.isOver()) void catchUp()
    },
    subscription: subscriptionOf(progress, end),
  }
}
export type Follower<T> = ReturnType<typeof createFollower<T>>
