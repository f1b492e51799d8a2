// The event log. An append is put in order at once: its expected revisions are checked, and each event gets a revision,
// a position and a time. At the next turn of the event loop, all waiting appends are written together in one commit.
// A caller is answered only after the commit that holds its events. An append with long payloads is put in order when
// these payloads are stored (long-payloads.ts).
import { type FailingLog, type Log, type Recorded, StorageFailure } from '../contract/stored.ts'
import { yieldToLoop } from '../platform/loop.ts'
import { createAppend } from './append.ts'
import { asked } from './asked.ts'
import { createCommitQueue, type Waiting } from './commit-queue.ts'
import { createDestruction } from './destruction.ts'
import { createSubscriptions, type Subscribe } from './follower/subscriptions.ts'
import type { Newest } from './heads.ts'
import { createLongPayloads } from './long-payloads.ts'
import { createOrder, type OrderDeps } from './order.ts'
import { createPages, createReading } from './reading.ts'
import { createReopening } from './recovery.ts'
import { createSessionReading } from './session-reading.ts'
import type { Row, Store } from './store.ts'

// Hides rows that are in the file but may not be durable yet: a power failure could still lose them.

const upTo = (rows: Row[], end: number): Row[] =>
  (rows.at(-1)?.position ?? 0) > end ? rows.filter(({ position }) => position <= end) : rows

/** `end`: the last position that may be read. */
export const durableRows = <S extends Pick<Store, 'page' | 'streamPage'>>(
  store: S,
  end: () => number,
): S => ({
  ...store,
  page: (after, limit) => upTo(store.page(after, limit), end()),
  streamPage: (stream, after, limit) => upTo(store.streamPage(stream, after, limit), end()),
})

// Calls listeners after each commit, before the callers whose events the commit contains get their answers. Commits are
// handed over in order: all listeners are done with one commit before they are called with the next.

type CommitListener = (events: Recorded[]) => void | Promise<void>

/** `publish` is called for each commit after the listeners. */
const createCommitListeners = (publish: (events: Recorded[]) => void) => {
  const listeners: CommitListener[] = []
  let notifying: Promise<void> | undefined

  /** Calls one listener after the other. A listener that returns no promise costs no turn of the event loop. */
  const call = (events: Recorded[]): Promise<void> | undefined => {
    let called: Promise<void> | undefined
    for (const listener of listeners) {
      called = called === undefined ? (listener(events) ?? undefined) : called.then(() => listener(events))
    }
    if (called !== undefined) return called.then(() => publish(events))
    publish(events)
    return undefined
  }

  return {
    add: (listener: CommitListener): void => void listeners.push(listener),
    /** `answer` is called when the listeners are done: at once, unless a promise of a listener is still awaited. */
    notify(events: Recorded[], answer: () => void): void {
      const called = notifying === undefined ? call(events) : notifying.then(() => call(events))
      if (called === undefined) {
        answer()
        return
      }
      const mine = called.then(answer).then(() => {
        if (notifying === mine) notifying = undefined
      })
      notifying = mine
    },
    isIdle: () => notifying === undefined,
  }
}

export type EventLog = Log &
  FailingLog & {
    /** The id of the log: it is made when the log is created, and no other log has it. */
    id: string
    /**
     * Adds a listener, which is called after each commit, in order. The callers whose events the commit holds are
     * answered when the listener is done.
     */
    onCommit(listener: CommitListener): void
    /**
     * Adds a listener, which is called when the log was opened again after a failed write. The log may then hold events
     * whose callers got an error. Nothing is appended until the listener is done.
     */
    onReopened(listener: () => Promise<void>): void
    /**
     * Hands over past events, then new ones. After a failed write, subscriptions continue when the listeners of
     * `onReopened` are done.
     */
    subscribe: Subscribe
    /** The newest event that this process has appended to a stream, if it is still in memory. It may not be durable. */
    newestOf(stream: string): Newest | undefined
    /**
     * Notes what the event PayloadsErased at a position covers, so that `erasedBy` finds it. Rejects with StorageFailure.
     */
    noteErasure(by: number): Promise<void>
    /**
     * Destroys what the event PayloadsErased at a position covers. Traces stay in the files until `wipe`. Another call
     * destroys only what is left. Rejects with StorageFailure.
     */
    destroy(by: number): Promise<void>
    /** The position of the event PayloadsErased that covers a position; undefined: there is none. */
    erasedBy(position: number): number | undefined
    /**
     * Destroys traces of earlier calls of `destroy` in the files. `isAll`: also those that a crash has left. Resolves to
     * whether none is left; false: a reader still needs the WAL. Rejects with StorageFailure.
     */
    wipe(isAll: boolean): Promise<boolean>
    /** Tries to open the log again after a failed write. Rejects with StorageFailure. */
    retry(): Promise<void>
    /** Takes in rows that others have written to the store. Only for a log that itself appends nothing. */
    readOn(): void
    /**
     * Checks the files of the log. When one was removed, replaced or cut short, appends fail from then on. Returns a
     * sentence about the problem when it is found for the first time.
     */
    check(): string | undefined
    /** Resolves when everything that was put in order is written and all listeners are done. */
    settled(): Promise<void>
    /** Waits as `settled` does, then closes the store. */
    close(): Promise<void>
  }

export const openLog = (store: Store, deps: OrderDeps): EventLog => {
  /** The position of the newest event that is durable. */
  let head = 0
  const order = createOrder(store, deps, () => head)
  head = order.begin()
  const pages = createPages(store, () => head)
  const subscriptions = createSubscriptions(pages, () => head)
  const listeners = createCommitListeners(subscriptions.publish)
  const onReopened: (() => Promise<void>)[] = []

  const committed = (appends: Waiting[]) => {
    const events: Recorded[] = []
    for (const { recorded } of appends) events.push(...recorded)
    head = events.at(-1)?.position ?? head
    listeners.notify(events, () => {
      for (const { recorded, resolve } of appends) resolve(recorded)
    })
  }
  const queue = createCommitQueue(batch => store.write(batch), committed)
  // After a failed write, actors continue from all rows in the file, since the reopened log will contain them, too.
  const durable = durableRows(store, () => (queue.hasFailed() ? Number.POSITIVE_INFINITY : head))

  const long = createLongPayloads({ store, ...deps, hasFailed: queue.hasFailed, failed: queue.fail })
  long.begin()

  const reopened = async () => {
    head = order.begin()
    long.begin()
    for (const listener of onReopened) await listener()
    subscriptions.lookAgain()
  }
  const recovery = createReopening({ store, queue, head: () => head, reopened })

  const append = createAppend({ order, long, queue, recovery })
  const settled = async (): Promise<void> => {
    while (!(long.isIdle() && queue.isEmpty() && listeners.isIdle())) await yieldToLoop()
  }

  const opened = async (): Promise<void> => {
    if (!queue.hasFailed()) return
    if (queue.isWriting()) throw new StorageFailure('the event log could not be written')
    await recovery.recover()
  }

  return {
    id: store.logId(),
    append,
    ...createReading(durable, () => head),
    ...createSessionReading(durable, () => head),
    subscribe: subscriptions.subscribe,
    revisionOf: order.revisionOf,
    newestOf: order.newestOf,
    head: () => head,
    leafAt: at => asked(() => store.leafAt(at)),
    onCommit: listeners.add,
    onReopened: listener => void onReopened.push(listener),
    isFailing: queue.hasFailed,
    ...createDestruction(store),
    erasedBy: at => asked(() => store.erasedBy(at)),
    retry: async () => {
      if (queue.hasFailed() && !queue.isWriting()) await recovery.recover()
    },
    readOn() {
      head = order.begin()
      subscriptions.lookAgain()
    },
    opened,
    complete: async () => {
      if (store.isShared) await opened()
    },
    check: recovery.check,
    settled,
    async close() {
      await settled()
      await store.close()
    },
  }
}
