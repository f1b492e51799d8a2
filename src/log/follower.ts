// One reader of numbered things: the past first, then what comes, without a gap or a repeat. It is handed one batch at a
// time; while its handler works, little is kept for it, and the rest is read again from where it is stored.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Everything after the number that was asked for, up to `upTo`; `isLast`: nothing more is stored. */
export type Page<T> = { items: readonly T[]; upTo: number; isLast: boolean }

/** What it is handed is in order, never empty, and shared with others. It may take its time: the next batch waits. */
export type Handler<T> = (items: readonly T[]) => void | Promise<void>

export type FollowerParts<T> = {
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

type Kept<T> = { items: T[]; from: number; upTo: number }
type Waiting = { position: number; resolve: () => void; reject: (error: unknown) => void }

export const createFollower = <T>(parts: FollowerParts<T>) => {
  const { read, handle, beforeRead, keptAtMost } = parts
  let position = parts.after
  /** There is something to be read that was not handed over. */
  let isBehind = !parts.hasAll
  let isBusy = isBehind
  let isOver = false
  let failure: { error: unknown } | undefined
  let kept: Kept<T> | undefined
  let waiting: Waiting[] = []
  let settle = () => {}
  const done = new Promise<void>((resolve, reject) => {
    settle = () => (failure === undefined ? resolve() : reject(failure.error))
  })

  const end = (failed?: { error: unknown }) => {
    if (isOver) return
    isOver = true
    failure = failed
    kept = undefined
    const error = failed?.error ?? new Error('the subscription was stopped')
    for (const { reject } of waiting) reject(error)
    waiting = []
    parts.onEnd()
    if (!isBusy) settle()
  }
  const move = (upTo: number) => {
    position = upTo
    if (waiting.length === 0) return
    for (const one of waiting) if (one.position <= position) one.resolve()
    waiting = waiting.filter(one => one.position > position)
  }
  /** A promise where the handler takes its time. */
  const hand = (items: readonly T[], upTo: number): Promise<void> | undefined => {
    const handled = items.length === 0 ? undefined : handle(items)
    if (handled instanceof Promise) return handled.then(() => move(upTo))
    move(upTo)
    return undefined
  }

  const readPage = async (): Promise<void> => {
    const ready = beforeRead?.()
    if (ready instanceof Promise) await ready
    if (isOver) return
    // What came until now is read; what comes from now on is kept, or makes it fall behind again.
    isBehind = false
    kept = undefined
    const found = read(position)
    const page = found instanceof Promise ? await found : found
    if (isOver) return
    if (!page.isLast) isBehind = true
    const handled = hand(page.items, page.upTo)
    if (handled !== undefined) await handled
    if (page.isLast) parts.caughtUp?.()
    if (isBehind) await nextTurn()
  }
  const takeKept = async ({ items, from, upTo }: Kept<T>): Promise<void> => {
    kept = undefined
    if (from !== position)
      isBehind = upTo > position // a page that was read meanwhile ended somewhere else
    else await hand(items, upTo)
  }
  /** Until it has everything. */
  const catchUp = async (handling?: Promise<void>): Promise<void> => {
    isBusy = true
    try {
      await handling
      while (!isOver) {
        if (isBehind) await readPage()
        else if (kept !== undefined) await takeKept(kept)
        else break
      }
    } catch (error) {
      end({ error })
    }
    isBusy = false
    if (isOver) settle()
  }

  const keep = (items: readonly T[], from: number, upTo: number) => {
    if (isBehind) return
    const count = (kept?.items.length ?? 0) + items.length
    if (count > keptAtMost) {
      kept = undefined
      isBehind = true
    } else if (kept === undefined) kept = { items: [...items], from, upTo }
    else {
      kept.items.push(...items)
      kept.upTo = upTo
    }
  }

  // After the caller holds its subscription, since it may be handed something at once.
  if (isBehind) queueMicrotask(() => void catchUp())

  return {
    /** What was just stored between two numbers; nothing between the number before and `from` was for this reader. */
    hear(items: readonly T[], from: number, upTo: number): void {
      if (isOver || upTo <= position) return
      if (isBusy) {
        keep(items, from, upTo)
        return
      }
      if (from !== position) {
        isBehind = true
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
      isBehind = true
      kept = undefined
      if (!isBusy && !isOver) void catchUp()
    },
    subscription: {
      position: () => position,
      reached(upTo) {
        if (position >= upTo) return Promise.resolve()
        if (isOver) return Promise.reject(failure?.error ?? new Error('the subscription was stopped'))
        return new Promise((resolve, reject) => waiting.push({ position: upTo, resolve, reject }))
      },
      stop() {
        end()
        return done
      },
      done,
    } satisfies Subscription as Subscription,
  }
}
export type Follower<T> = ReturnType<typeof createFollower<T>>
