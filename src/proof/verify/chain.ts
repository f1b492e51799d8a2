// Checks what single events cannot show: that positions and revisions have no hole, and that the tree over all leaves
// has the roots of the checkpoints.
import { Misfit } from '../misfit.ts'
import { createGrowingTree } from '../tree/growing.ts'
import type { Hash } from '../tree/hash.ts'
import type { Comparison } from './comparison.ts'
import { createRevisions } from './revisions.ts'

/** The place of an event that fits itself. `streamNo`: any number that no other stream has. */
export type Link = { position: number; streamNo: number; revision: number; leaf: Hash }

export const missing = (position: number): Misfit => new Misfit('the event is missing', position)

/** `add` throws Misfit at the first event that does not fit. */
export const createChain = (comparison: Comparison) => {
  const tree = createGrowingTree()
  const revisions = createRevisions()
  const compare = (): void => {
    while (comparison.next() === tree.size()) comparison.compare(tree.size(), tree.root())
  }
  compare() // a checkpoint may be of the empty log
  return {
    add({ position, streamNo, revision, leaf }: Link): void {
      const before = revisions.add(streamNo, revision)
      if (before !== undefined)
        throw new Misfit(
          `the event is revision ${revision} of its stream, and revision ${before} must come first`,
          position,
        )
      tree.add(leaf)
      if (comparison.next() === position) compare()
    },
    /** Throws Misfit when the log is shorter than a checkpoint, or than `size`. */
    end(size: number): { events: number; streams: number } {
      const events = tree.size()
      comparison.end(events)
      if (events < size) throw missing(events + 1)
      return { events, streams: revisions.streams() }
    },
    size: () => tree.size(),
  }
}
