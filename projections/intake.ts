// Keeps the position up to which the projections have folded the log, and the one up to which their rows are written.
// The rows and the checkpoint are written in one transaction.
import type { Log, Recorded } from '../src/contract/stored.ts'
import { createNews } from './news.ts'
import type { ReadStore } from './store.ts'

export type Projection = {
  /** Folds events, only in memory. */
  fold(events: Recorded[]): void
  /**
   * Writes the changes since the last call. Called in the transaction that moves the checkpoint. `isWhole`: nothing may
   * be left out.
   */
  write(isWhole: boolean): void
  /** Whether the last `write` left out events of this stream. */
  leftOut?(stream: string): boolean
  /** Loads the changes before the checkpoint that the tables lack, after a start or a failure. Yields their streams. */
  recall?(checkpoint: number): Iterable<string>
  /** Drops the changes in memory that are not written, because folding or writing has failed. */
  forget(): void
}

/** The row that says up to which event the tables hold everything. */
const createCheckpointRow = (store: ReadStore, log: Log) => {
  const move = store.prepare(
    `INSERT INTO checkpoint (one, position, leaf) VALUES (1, ?, ?)
     ON CONFLICT (one) DO UPDATE SET position = excluded.position, leaf = excluded.leaf`,
  )
  const checkpoint = store.prepare<[], number>('SELECT position FROM checkpoint').pluck()
  return {
    move: (position: number) => move.run(position, log.leafAt(position) ?? ''),
    read: () => checkpoint.get() ?? 0,
  }
}

export const createIntake = (store: ReadStore, log: Log, projections: Projection[]) => {
  const checkpoint = createCheckpointRow(store, log)
  let written = checkpoint.read()
  let position = written
  /** A failure may have taken back what was written since the last commit. */
  let isUnsure = false
  const news = createNews()

  const writeAll = store.transaction((isWhole: boolean) => {
    for (const projection of projections) projection.write(isWhole)
    checkpoint.move(position)
  })
  const forget = (): void => {
    position = written
    for (const projection of projections) projection.forget()
  }

  const continueAfter = (last: number): void => {
    written = last
    isUnsure = false
    forget()
  }
  /** Continues from the checkpoint in the tables, which may be older ones now. */
  const readCheckpoint = () => continueAfter(checkpoint.read())

  return {
    /** The position up to which events are folded. */
    position: () => position,
    /** The position up to which rows are written. */
    written: () => written,
    /** How many events are folded and not written. */
    pending: () => position - written,
    /** Whether events of this stream are not written yet. */
    hasNewsOf: news.has,
    /** Records that these events are not written. They need not be folded. */
    note: news.note,
    take(events: Recorded[]): void {
      news.note(events)
      for (const projection of projections) projection.fold(events)
      position = events.at(-1)?.position ?? position
    },
    /** `isWhole`: also writes what earlier calls left out. */
    write(isWhole: boolean): void {
      if (position === written && !(isWhole && !news.isEmpty())) return
      writeAll(isWhole)
      written = position
      news.written(written, stream => projections.some(projection => projection.leftOut?.(stream)))
    },
    /** Commits the rows that are written. When it throws, the tables are as they were after the last commit. */
    commit(): void {
      store.commit()
      news.committed()
    },
    /**
     * Returns to the state of the tables if there was a failure. Loads the changes before the checkpoint that writes
     * have left out, one stream in each step.
     */
    *recall(): Generator<void> {
      if (isUnsure) readCheckpoint()
      for (const projection of projections) {
        for (const stream of projection.recall?.(written) ?? []) {
          news.addOlder(stream, written)
          yield
        }
      }
    },
    /** After a failure: drops what is in memory. `recall` then returns to the state of the tables. */
    failed(): void {
      isUnsure = true
      news.lost()
      forget()
    },
    readCheckpoint,
    /** Empties the tables and begins again before the first event. */
    async restart(): Promise<void> {
      await store.renew()
      continueAfter(0)
    },
  }
}
export type Intake = ReturnType<typeof createIntake>
