// One reader of numbered things: the past first, then what comes, without a gap or a repeat. It is handed one batch at a
// time; while its handler works, little is kept for it, and the rest is read again from where it is stored.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Backlog, createBacklog } from './follower/backlog.ts'
import { createProgress, type Failure, type Progress } from './follower/progress.ts'

/** Everything after the number that was asked for, up to `upTo`; `isLast`: nothing more is stored. */
export type Page<T> = { items: readonly T[]; upTo: number; isLast: boolean }

/** What it is handed is in order, never empty, and shared with others. It may take its time: the next batch waits. */
export type Handler<T> = (items: readonly T[]) => void | Promise<void>

export type FollowerDeps<T> = {
  /** It begins after this number. */
  after: number
  /** Nothing is stored after it yet, so there is nothing to read first. */
  hasAll?: boolean
  read: (after: number) => Page<T> | Promise<Page<T>>
  handle: Handler<T>
  /** Waited for before each reading: a place, or time for others. */
  beforeRead?: (() => void | Promise<void>) | undefined
  /** Called each time when nothing more is to be read and what was read is handled. */
  caughtUp?: (() => void) | undefined
  /** This many items are kept while the handler works; when more come, all of them are read again. */
  keptAtMost: number
  /** Called once, when it has ended in any way. */
  onEnd: () => void
}

/** What follows the log, as its owner holds it. */
export type Subscription = {
  /** Everything up to this number was handled. */
  position(): number
  /** Resolves when everything up to a number was handled; rejects when the subscription ends before. */
  reached(position: number): Promise<void>
  /** Nothing more is handed over. Resolves when the handler does no work any more, so the handler does not wait for it. */
  stop(): Promise<void>
  /** Resolves when it was stopped; rejects with what the handler or the reading threw, after which nothing comes. */
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

/** Handles a batch that ends at the number `upTo`. A promise where the handler takes its time. */
type Hand<T> = (items: readonly T[], upTo: number) => Promise<void> | undefined

/** Reads the page that follows, and hands it over. */
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
    if (page.isLast) deps.caughtUp?.()
    if (backlog.isBehind()) await nextTurn()
  }

export const createFollower = <T>(deps: FollowerDeps<T>) => {
  const progress = createProgress(deps.after)
  const backlog = createBacklog<T>(deps.keptAtMost, !deps.hasAll)
  /** It reads, or its handler works. */
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
  /** Until it has everything. */
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
  // After the caller holds its subscription, since it may be handed something at once.
  if (isBusy) queueMicrotask(() => void catchUp())

  return {
    /** What was just stored between two numbers; nothing between the number before and `from` was for this reader. */
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
    /** More may be stored than it heard of. */
    lookAgain(): void {
      backlog.fallBehind()
      if (!isBusy && !progress.isOver()) void catchUp()
    },
    subscription: subscriptionOf(progress, end),
  }
}
export type Follower<T> = ReturnType<typeof createFollower<T>>
