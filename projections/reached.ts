// Keeps the position up to which events are folded, and the one up to which their rows are written. The second one is a
// row of the tables, the checkpoint, so after a failure it says where to continue.
import type { Log } from '../src/contract/stored.ts'
import { takenBack } from './sqlite/taken-back.ts'
import type { ReadStore } from './store.ts'

export const createReached = (store: ReadStore, log: Log) => {
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
