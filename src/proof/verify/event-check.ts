// Checks the events of a whole log, in order: each event itself, its place, and the tree over all of them.
import { isErased, misfitOf, type StoredTexts } from '../../log/fits.ts'
import { Misfit } from '../misfit.ts'
import { createGrowingTree } from '../tree/growing.ts'
import type { Comparison } from './comparison.ts'
import { createRevisions } from './revisions.ts'

/** `streamNo`: any number that no other stream has. */
export type LogEvent = StoredTexts & { position: number; streamNo: number }
export type Counts = { events: number; streams: number; erased: number }

/** The checks of one event that need no other event of the log. Throws Misfit. */
export const mustFit = (event: StoredTexts & { position: number }): void => {
  const { position, stream } = event
  if (stream === null) throw new Misfit('the event belongs to no stream', position)
  const misfit = misfitOf(event)
  if (misfit !== undefined) throw new Misfit(`the event ${misfit}`, position, stream)
}

/** `add` throws Misfit at the first event that does not fit. */
export const createEventCheck = (comparison: Comparison) => {
  const tree = createGrowingTree()
  const revisions = createRevisions()
  let erased = 0
  const compare = (): void => {
    while (comparison.next() === tree.size()) comparison.compare(tree.size(), tree.root())
  }
  compare() // a checkpoint may be of the empty log

  return {
    add(event: LogEvent): void {
      const { position, stream, streamNo, revision, leaf } = event
      const expected = tree.size() + 1
      if (position !== expected) throw new Misfit('the event is missing', expected)
      mustFit(event)
      const before = revisions.add(streamNo, revision)
      if (before !== undefined)
        throw new Misfit(
          `the event is revision ${revision} of its stream, and revision ${before} must come first`,
          position,
          stream ?? undefined,
        )
      if (isErased(event)) erased++
      tree.add(leaf)
      if (comparison.next() === expected) compare()
    },
    /** Throws Misfit when the log is shorter than a checkpoint, or than `size`. */
    end(size: number): Counts {
      const events = tree.size()
      comparison.end(events)
      if (events < size) throw new Misfit('the event is missing', events + 1)
      return { events, streams: revisions.streams(), erased }
    },
    size: () => tree.size(),
    root: () => tree.root(),
  }
}
