// The event log: order, expected revisions, positions, group commit. Appends are put in order the moment they
// are made (revision, position and time are then fixed) and written together at the next turn of the event
// loop; a caller is answered only after the commit that holds its events.

import { type Log, type Recorded, StorageFailure, type StreamAppend } from '../contract/stored.ts'
import { asked } from './asked.ts'
import { createOrder, type OrderDeps } from './order.ts'
import { createPages, createReading } from './reading.ts'
import type { PackedBatch, Store } from './store.ts'
import { createSubscriptions, type Subscribe } from './subscriptions.ts'

export type EventLog = Log & {
  /** Made once with the log; tells one log from another. */
  id: string
  /** Called after each commit, in order; the callers of that commit are answered when it is through. */
  onCommit(listener: CommitListener): void
  /** Called when the log was opened anew after a failed write: what is stored may be more than was answered.
   *  Nothing is appended until it is through. */
  onReopened(listener: () => Promise<void>): void
  /** Past, then live. After a failed write it goes on when the listeners above are through. */
  subscribe: Subscribe
  isFailing(): boolean
  /** Tries to open the log anew after a failure. Rejects with StorageFailure. */
  retry(): Promise<void>
  /**
   * Looks at the files: when somebody removed, replaced or cut one, nothing more is acknowledged. The answer says what it
   * is, the first time it is found.
   */
  check(): string | undefined
  /** Resolves when everything that was put in order is written and told of. */
  settled(): Promise<void>
  /** The same, and the store is closed. */
  close(): Promise<void>
}

type CommitListener = (events: Recorded[]) => void | Promise<void>

type Waiting = {
  packed: PackedBatch
  recorded: Recorded[]
  resolve: (recorded: Recorded[]) => void
  reject: (error: unknown) => void
}

/** Events a batch, and batches under way at once: the writer is never idle, a commit never long. */
const batchEvents = 256
const batchesUnderWay = 2

export const openLog = (store: Store, deps: OrderDeps): EventLog => {
  const pages = createPages(store, () => head)
  const subscriptions = createSubscriptions(pages, () => head)
  const onCommit: CommitListener[] = []
  const onReopened: (() => Promise<void>)[] = []
  let queue: Waiting[] = []
  let underWay = 0
  let scheduled = false
  let failed: unknown
  let telling: Promise<void> | undefined
  let reopening: Promise<void> | undefined
  /** What is wrong with the files, as it was told last; and that a part of what was acknowledged is gone. */
  let told: string | undefined
  let lost: string | undefined
  let securing: Promise<void> | undefined

  /** The position of the newest event that is durable. */
  let head = 0
  const order = createOrder(store, deps, () => head)
  head = order.begin()

  const schedule = () => {
    if (scheduled || queue.length === 0 || underWay >= batchesUnderWay) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      flush()
    })
  }

  const flush = () => {
    while (queue.length > 0 && underWay < batchesUnderWay) {
      let size = 0
      let taken = 0
      for (const { recorded } of queue) {
        if (taken > 0 && size + recorded.length > batchEvents) break
        size += recorded.length
        taken++
      }
      const batch = queue.slice(0, taken)
      queue = queue.slice(taken)
      underWay++
      store.write(joined(batch.map(({ packed }) => packed))).then(
        () => {
          underWay--
          committed(batch)
        },
        error => {
          underWay--
          fail(error, batch)
        },
      )
    }
  }

  const committed = (batch: Waiting[]) => {
    const events = batch.flatMap(waiting => waiting.recorded)
    head = events.at(-1)?.position ?? head
    const answer = () => {
      for (const waiting of batch) waiting.resolve(waiting.recorded)
    }
    const told = telling === undefined ? tell(events) : telling.then(() => tell(events))
    if (told === undefined) answer()
    else {
      const mine = told.then(answer).then(() => {
        if (telling === mine) telling = undefined
      })
      telling = mine
    }
    schedule()
  }

  /** Listeners hear of commits one after the other; a listener that takes no time costs no turn of the loop. */
  const tell = (events: Recorded[]): Promise<void> | undefined => {
    let told: Promise<void> | undefined
    for (const listener of onCommit) {
      told = told === undefined ? (listener(events) ?? undefined) : told.then(() => listener(events))
    }
    if (told !== undefined) return told.then(() => subscriptions.publish(events))
    subscriptions.publish(events)
    return undefined
  }

  /** Nothing that was put in order after the failure can stand: its positions are void. */
  const fail = (error: unknown, batch: Waiting[]) => {
    failed = error
    const failure = new StorageFailure('the event log could not be written', { cause: error })
    for (const waiting of batch) waiting.reject(failure)
    for (const waiting of queue) waiting.reject(failure)
    queue = []
  }

  /** After a failure nothing is acknowledged until the log was opened anew and its end was read again. */
  const recovered = (): Promise<void> => {
    reopening ??= (async () => {
      try {
        await securing
        const trouble = store.trouble()
        if (trouble !== undefined) throw new Error(trouble)
        await store.reopen()
        const end = store.last()?.position ?? 0
        // Not gone on with: the positions behind it were acknowledged, and would be given to other events.
        if (end < head) {
          lost = `the event log has ${end} events, and ${head} were acknowledged`
          throw new Error(lost)
        }
        lost = undefined
        head = order.begin()
        for (const listener of onReopened) await listener()
        subscriptions.lookAgain()
        failed = undefined
      } catch (error) {
        throw new StorageFailure('the event log cannot be opened again', { cause: error })
      } finally {
        reopening = undefined
      }
    })()
    return reopening
  }

  const append = (appends: StreamAppend[]): Promise<Recorded[]> => {
    if (failed !== undefined) {
      if (underWay > 0) return Promise.reject(new StorageFailure('the event log could not be written'))
      return recovered().then(() => append(appends))
    }
    return new Promise((resolve, reject) => {
      try {
        queue.push({ ...order.put(appends), resolve, reject })
        schedule()
      } catch (error) {
        reject(error)
      }
    })
  }

  const check = (): string | undefined => {
    const trouble = lost ?? store.trouble()
    if (trouble !== undefined && failed === undefined) fail(new Error(trouble), [])
    const isNews = trouble !== undefined && trouble !== told
    told = trouble
    if (!isNews) return undefined
    securing = store.secure().catch(() => {}) // what is in a WAL without a name is lost with the process
    return trouble
  }

  /** Resolves when everything that was appended is stored and told of. */
  const settled = async (): Promise<void> => {
    while (queue.length > 0 || underWay > 0 || telling !== undefined) {
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  return {
    id: store.logId(),
    append,
    ...createReading(store, () => head, pages),
    subscribe: subscriptions.subscribe,
    revisionOf: order.revisionOf,
    head: () => head,
    leafAt: at => asked(() => store.leafAt(at)),
    onCommit: listener => void onCommit.push(listener),
    onReopened: listener => void onReopened.push(listener),
    isFailing: () => failed !== undefined,
    retry: async () => {
      if (failed !== undefined && underWay === 0) await recovered()
    },
    check,
    settled,
    async close() {
      await settled()
      await store.close()
    },
  }
}

/** Batches that follow each other, as one. */
const joined = (batches: PackedBatch[]): PackedBatch => {
  const [first, ...others] = batches
  if (first === undefined) throw new Error('an empty batch')
  for (const { streamNos, revisions, texts, newStreams } of others) {
    for (const no of streamNos) first.streamNos.push(no)
    for (const revision of revisions) first.revisions.push(revision)
    for (const text of texts) first.texts.push(text)
    for (const stream of newStreams) first.newStreams.push(stream)
  }
  return first
}
