// Keeps appends until they are written. The writer writes them in batches, one after the other. The next batch is sent
// to the writer while it still writes the batch before, so that the writer is never idle although batches are small.
import { type Recorded, StorageFailure } from '../contract/stored.ts'
import type { PackedBatch } from './store.ts'

export type Waiting = {
  packed: PackedBatch
  recorded: Recorded[]
  resolve: (recorded: Recorded[]) => void
  reject: (error: unknown) => void
}

/** The largest number of events in one batch. Only a single append with more events makes a larger batch. */
const batchEvents = 256
/** The largest number of batches that are sent to the writer and not written yet. */
const batchesUnderWay = 2

/** Joins batches that follow each other into the first one. */
const joined = (batches: PackedBatch[]): PackedBatch => {
  const [first, ...others] = batches
  if (first === undefined) throw new Error('an empty batch')
  for (const { streamNos, revisions, texts, newStreams, long, erasures } of others) {
    for (const no of streamNos) first.streamNos.push(no)
    for (const revision of revisions) first.revisions.push(revision)
    for (const text of texts) first.texts.push(text)
    for (const stream of newStreams) first.newStreams.push(stream)
    for (const payload of long) first.long.push(payload)
    for (const erased of erasures) first.erasures.push(erased)
  }
  return first
}

/** How many of the first appends go into one batch. */
const sizeOfBatch = (queue: Waiting[]): number => {
  let events = 0
  let taken = 0
  for (const { recorded } of queue) {
    if (taken > 0 && events + recorded.length > batchEvents) break
    events += recorded.length
    taken++
  }
  return taken
}

/** `write` resolves when a batch is durable. Then `committed` is called with its appends and answers their callers. */
export const createCommitQueue = (
  write: (batch: PackedBatch) => Promise<void>,
  committed: (appends: Waiting[]) => void,
) => {
  let queue: Waiting[] = []
  let underWay = 0
  let isScheduled = false
  let hasFailed = false

  const schedule = () => {
    if (isScheduled || queue.length === 0 || underWay >= batchesUnderWay) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      flush()
    })
  }

  const flush = () => {
    while (queue.length > 0 && underWay < batchesUnderWay) {
      const taken = sizeOfBatch(queue)
      const appends = queue.slice(0, taken)
      queue = queue.slice(taken)
      underWay++
      write(joined(appends.map(({ packed }) => packed))).then(
        () => {
          underWay--
          committed(appends)
          schedule()
        },
        error => {
          underWay--
          fail(error, appends)
        },
      )
    }
  }

  /** Rejects every waiting append, since the positions after the failed write are no longer valid. */
  const fail = (error: unknown, appends: Waiting[] = []) => {
    hasFailed = true
    const failure = new StorageFailure('the event log could not be written', { cause: error })
    for (const { reject } of [...appends, ...queue]) reject(failure)
    queue = []
  }

  return {
    push(append: Waiting): void {
      queue.push(append)
      schedule()
    },
    /** Rejects the waiting appends. Nothing may be pushed until `goOn`. */
    fail: (error: unknown): void => fail(error),
    /** Called when the log was opened again after a failure: appends may be pushed again. */
    goOn(): void {
      hasFailed = false
    },
    hasFailed: () => hasFailed,
    isWriting: () => underWay > 0,
    isEmpty: () => queue.length === 0 && underWay === 0,
  }
}
export type CommitQueue = ReturnType<typeof createCommitQueue>
