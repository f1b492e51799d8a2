// Takes in the events of the log: the projections fold them, and later write their rows. The rows and the checkpoint are
// written in one transaction.
import type { Log, Recorded } from '../src/contract/stored.ts'
import { createNews } from './news.ts'
import { takenBack } from './sqlite/taken-back.ts'
import type { ReadStore } from './store.ts'
import type { Topic } from './topics.ts'

// Keeps the position up to which events are folded, and the one up to which their rows are written. The second one is a
// row of the tables, the checkpoint, so after a failure it says where to continue.

const createReached = (store: ReadStore, log: Log) => {
  const move = store.prepare(
    `INSERT INTO checkpoint (one, position, leaf) VALUES (1, ?, ?)
     ON CONFLICT (one) DO UPDATE SET position = excluded.position, leaf = excluded.leaf`,
  )
  const checkpoint = store.prepare<[], number>('SELECT position FROM checkpoint').pluck()
  let written = checkpoint.get() ?? 0
  let folded = written
  /** A failure may have taken back what was written since the last commit. */
  let isUnsure = false

  const continueAfter = (position: number): void => {
    folded = written = position
    isUnsure = false
  }
  return {
    folded: () => folded,
    written: () => written,
    foldedTo(position: number): void {
      folded = position
    },
    /** Moves the checkpoint in the tables. Called in the transaction that writes the rows. */
    moveCheckpoint: () => void move.run(folded, log.leafAt(folded) ?? ''),
    /** The rows and the checkpoint are written. */
    wrote(): void {
      written = folded
    },
    /** From now on `mustBeSure` throws, until it is said where to continue. */
    failed(): void {
      folded = written
      isUnsure = true
    },
    isUnsure: () => isUnsure,
    mustBeSure(): void {
      if (isUnsure) throw takenBack()
    },
    continueAfter,
    /** Continues from the checkpoint in the tables, which may be older ones now. */
    continueFromTables: () => continueAfter(checkpoint.get() ?? 0),
  }
}

export type Projection = {
  /** Folds events, only in memory. */
  fold(events: Recorded[]): void
  /**
   * Writes the changes since the last call. Called in the transaction that moves the checkpoint. `isWhole`: nothing may
   * be left out.
   */
  write(isWhole: boolean): void
  /** Whether there are folded events that concern this topic and whose rows are not written. */
  lacks?(topic: Topic): boolean
  /** Whether the last `write` left out events of this stream. */
  leftOut?(stream: string): boolean
  /** Loads the changes before the checkpoint that the tables lack, after a start or a failure. Yields their streams. */
  recall?(checkpoint: number): Iterable<string>
  /** Whether `write` has left work for later. */
  hasMore?(): boolean
  /** Does a piece of this work, in a transaction. */
  doMore?(): void
  /** Drops the changes in memory that are not written, because folding or writing has failed. */
  forget(): void
}

export const createFolding = (store: ReadStore, log: Log, projections: Projection[]) => {
  const reached = createReached(store, log)
  const news = createNews()
  const writeAll = store.transaction((isWhole: boolean) => {
    for (const projection of projections) projection.write(isWhole)
    reached.moveCheckpoint()
  })
  const doMore = store.transaction(() => projections.find(projection => projection.hasMore?.())?.doMore?.())
  /** After a failure: drops what is in memory. `recall` then returns to the state of the tables. */
  const failed = (): void => {
    reached.failed()
    news.lost()
    for (const projection of projections) projection.forget()
  }

  return {
    /** The position up to which events are folded. */
    position: reached.folded,
    /** The position up to which rows are written. */
    written: reached.written,
    /** How many events are folded and not written. */
    pending: () => reached.folded() - reached.written(),
    /** Whether events of this stream may not be written yet. */
    hasNewsOf: news.has,
    /** Whether rows are not written that concern this topic. */
    lacks: (topic: Topic): boolean => projections.some(projection => projection.lacks?.(topic)),
    /** Whether rows of this stream are not committed yet. */
    isUncommitted: news.isUncommitted,
    /** Records that these events are not written. They need not be folded. */
    note: news.note,
    take(events: Recorded[]): void {
      reached.mustBeSure()
      news.note(events)
      for (const projection of projections) projection.fold(events)
      reached.foldedTo(events.at(-1)?.position ?? reached.folded())
    },
    /** `isWhole`: also writes what earlier calls left out. */
    write(isWhole: boolean): void {
      reached.mustBeSure()
      if (reached.folded() === reached.written() && !(isWhole && !news.isEmpty())) return
      writeAll(isWhole)
      reached.wrote()
      news.written(reached.written(), stream => projections.some(projection => projection.leftOut?.(stream)))
    },
    /** Does a piece of the work that writes have left for later. Returns false when nothing was left. */
    later(): boolean {
      reached.mustBeSure()
      if (!projections.some(projection => projection.hasMore?.())) return false
      doMore()
      return true
    },
    /** Commits the rows that are written. Returns whether there were some. When it throws, they are taken back. */
    commit(): boolean {
      const isNews = store.commit()
      news.committed()
      return isNews
    },
    /**
     * Returns to the state of the tables if there was a failure. Loads the changes before the checkpoint that writes
     * have left out, one stream in each step.
     */
    *recall(): Generator<void> {
      if (reached.isUnsure()) {
        store.rollBack()
        reached.continueFromTables()
        news.reached(reached.written())
      }
      for (const projection of projections) {
        for (const stream of projection.recall?.(reached.written()) ?? []) {
          news.addOlder(stream, reached.written())
          yield
        }
      }
    },
    failed,
    /** The tables may have been replaced by older ones. The next catch-up reads what they lack. */
    replaced(): void {
      news.lackAll(reached.written())
      failed()
    },
    /** Empties the tables and begins again before the first event. */
    async restart(): Promise<void> {
      await store.renew()
      failed()
      reached.continueAfter(0)
    },
  }
}
export type Folding = ReturnType<typeof createFolding>
