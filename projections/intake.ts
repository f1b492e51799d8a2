// Keeps the position up to which the projections have folded the log, and the one up to which their rows are written.
// The rows and the checkpoint are written in one transaction.
import type { Log, Recorded } from '../src/contract/stored.ts'
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

export const createIntake = (store: ReadStore, log: Log, projections: Projection[]) => {
  const move = store.prepare(
    `INSERT INTO checkpoint (one, position, leaf) VALUES (1, ?, ?)
     ON CONFLICT (one) DO UPDATE SET position = excluded.position, leaf = excluded.leaf`,
  )
  const checkpoint = store.prepare<[], number>('SELECT position FROM checkpoint').pluck()
  let written = checkpoint.get() ?? 0
  let position = written
  /** The streams with events that are not written yet, each with the position of its newest event. */
  const unwritten = new Map<string, number>()

  const commit = store.transaction((isWhole: boolean) => {
    for (const projection of projections) projection.write(isWhole)
    move.run(position, log.leafAt(position) ?? '')
  })
  const note = (events: Recorded[]): void => {
    for (const { position, header } of events) unwritten.set(header.stream, position)
  }
  const forget = (): void => {
    position = written
    for (const projection of projections) projection.forget()
  }

  return {
    /** The position up to which events are folded. */
    position: () => position,
    /** The position up to which rows are written. */
    written: () => written,
    /** How many events are folded and not written. */
    pending: () => position - written,
    /** Whether events of this stream are not written yet. */
    hasNewsOf: (stream: string): boolean => unwritten.has(stream),
    /** Records that these events are not written. They need not be folded. */
    note,
    take(events: Recorded[]): void {
      note(events)
      for (const projection of projections) projection.fold(events)
      position = events.at(-1)?.position ?? position
    },
    /** `isWhole`: also writes what earlier calls left out. */
    write(isWhole: boolean): void {
      if (position === written && !(isWhole && unwritten.size > 0)) return
      commit(isWhole)
      written = position
      for (const [stream, newest] of unwritten) {
        const isLeftOut = projections.some(projection => projection.leftOut?.(stream))
        if (newest <= written && !isLeftOut) unwritten.delete(stream)
      }
    },
    /** Loads the changes before the checkpoint that writes have left out, one stream in each step. */
    *recall(): Generator<void> {
      for (const projection of projections) {
        for (const stream of projection.recall?.(written) ?? []) {
          if (!unwritten.has(stream)) unwritten.set(stream, written)
          yield
        }
      }
    },
    /** Returns memory to the state of the tables. */
    forget,
    /** Continues from the checkpoint in the tables, which were replaced by older ones. */
    readCheckpoint(): void {
      written = checkpoint.get() ?? 0
      forget()
    },
    /** Empties the tables and begins again before the first event. */
    async restart(): Promise<void> {
      await store.renew()
      written = 0
      forget()
    },
  }
}
export type Intake = ReturnType<typeof createIntake>
