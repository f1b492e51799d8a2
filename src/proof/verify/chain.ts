// Checks several events together: positions and revisions must have no hole, and the tree over all leaves must have the
// roots of the checkpoints.
import { Misfit } from '../misfit.ts'
import { createGrowingTree } from '../tree/growing.ts'
import type { Hash } from '../tree/hash.ts'
import type { Comparison } from './comparison.ts'

// Checks that the events of each stream come in the order of their revisions, from 0 and without a hole. This needs
// four bytes for each stream, if the numbers of the streams follow each other.

type Revisions = {
  /** Takes the next event of a stream. If another revision was expected, returns this expected revision. */
  add(stream: number, revision: number): number | undefined
  streams(): number
}

/** The number of streams whose counts share one array. So a wrong stream number costs no more memory than one array. */
const width = 1024

export const createRevisions = (): Revisions => {
  /** For each stream, the number of events that have come. */
  const counts = new Map<number, Int32Array>()
  let streams = 0
  return {
    add(stream, revision) {
      const page = Math.floor(stream / width)
      const row = counts.get(page) ?? new Int32Array(width)
      counts.set(page, row)
      const place = stream - page * width
      const expected = row[place] ?? 0
      if (revision !== expected) return expected
      if (expected === 0) streams++
      row[place] = expected + 1
      return undefined
    },
    streams: () => streams,
  }
}

/** The place of an event whose own hashes were checked. `streamNo`: a number that only the stream of the event has. */
export type Link = { position: number; streamNo: number; revision: number; leaf: Hash }

/**
 * The places of events that follow each other and whose own hashes were checked. `first`: the first position.
 * `streamNos`: for each event, a number that only its stream has. `leaves`: the leaves in order, 43 characters each.
 * `root`: the root over these leaves, if they are a full subtree.
 */
export type Links = {
  first: number
  streamNos: ArrayLike<number>
  revisions: ArrayLike<number>
  leaves: string
  root?: Hash
}
/** The number of characters of a leaf. */
const leafChars = 43

export const missing = (position: number): Misfit => new Misfit('the event is missing', position)

/** `add` and `addAll` throw Misfit at the first event or checkpoint that does not fit. */
export const createChain = (comparison: Comparison) => {
  const tree = createGrowingTree()
  const revisions = createRevisions()
  const compare = (): void => {
    while (comparison.next() === tree.size()) comparison.compare(tree.size(), tree.root())
  }
  compare() // a checkpoint may be of the empty log
  const mustFollow = (position: number, streamNo: number, revision: number): void => {
    const before = revisions.add(streamNo, revision)
    if (before === undefined) return
    throw new Misfit(
      `the event is revision ${revision} of its stream, and revision ${before} must come first`,
      position,
    )
  }
  const grow = (hash: Hash, leaves?: number): void => {
    tree.add(hash, leaves)
    if (comparison.next() === tree.size()) compare()
  }
  return {
    add({ position, streamNo, revision, leaf }: Link): void {
      mustFollow(position, streamNo, revision)
      grow(leaf)
    },
    /** Adds events. The tree takes `root`, if given, for all leaves, unless a checkpoint ends among these leaves. */
    addAll({ first, streamNos, revisions, leaves, root }: Links): void {
      const count = streamNos.length
      const isOne =
        root !== undefined && !((comparison.next() ?? Number.POSITIVE_INFINITY) < tree.size() + count)
      for (let n = 0; n < count; n++) {
        mustFollow(first + n, streamNos[n] ?? 0, revisions[n] ?? 0)
        if (!isOne) grow(leaves.slice(n * leafChars, (n + 1) * leafChars))
      }
      if (isOne) grow(root, count)
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
