// How far the projections have folded the log, and how far their rows are written. Rows and checkpoint are written in one
// transaction.
import type { Log, Recorded } from '../src/contract/stored.ts'
import type { ReadStore } from './store.ts'

export type Projection = {
  /** Folds events, in memory only. */
  fold(events: Recorded[]): void
  /** Writes the changes since the last call. Called in the transaction that moves the checkpoint. */
  write(): void
  /** Drops the state in memory, because it could not be written. */
  forget(): void
}

export const createIntake = (store: ReadStore, log: Log, projections: Projection[]) => {
  const move = store.prepare(
    `INSERT INTO checkpoint (one, position, leaf) VALUES (1, ?, ?)
     ON CONFLICT (one) DO UPDATE SET position = excluded.position, leaf = excluded.leaf`,
  )
  let written = store.prepare<[], number>('SELECT position FROM checkpoint').pluck().get() ?? 0
  let position = written
  /** Streams with events that are not written yet, and the position of their newest one. */
  const unwritten = new Map<string, number>()

  const commit = store.transaction(() => {
    for (const projection of projections) projection.write()
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
    /** Everything up to here is folded. */
    position: () => position,
    /** Everything up to here is written. */
    written: () => written,
    /** Events that are folded and not written. */
    pending: () => position - written,
    hasNewsOf: (stream: string): boolean => unwritten.has(stream),
    /** Records that these events are not written; they may not be folded either. */
    note,
    take(events: Recorded[]): void {
      note(events)
      for (const projection of projections) projection.fold(events)
      position = events.at(-1)?.position ?? position
    },
    write(): void {
      if (position === written) return
      commit()
      written = position
      for (const [stream, newest] of unwritten) if (newest <= written) unwritten.delete(stream)
    },
    /** Returns memory to the state of the tables. */
    forget,
    /** Begins again before the first event, with empty tables. */
    restart(): void {
      store.renew()
      written = 0
      forget()
    },
  }
}
export type Intake = ReturnType<typeof createIntake>
