// Roots of parts of a tree (RFC 6962). Take the smallest power of two that is not below the length of a part: the index
// of the first leaf must be a multiple of it, as for all parts in proofs. Full subtrees, whose length is a power of
// two, never change, so their roots can be stored. Every other root follows from a few of these roots.
import { emptyRoot, type Hash, nodeOf } from './hash.ts'

/** Returns the root of the full subtree over 2^level leaves that begins at the leaf index × 2^level. */
export type FullSubtrees = (level: number, index: number) => Hash

/** The root over 2^n hashes. */
export const rootOfFull = (hashes: readonly Hash[]): Hash => {
  let row = hashes
  while (row.length > 1) {
    const above: Hash[] = []
    for (let n = 0; n < row.length; n += 2) above.push(nodeOf(row[n] ?? '', row[n + 1] ?? ''))
    row = above
  }
  return row[0] ?? ''
}

/** The largest power of two below `count`, which must be at least 2: the tree over `count` leaves is split there. */
export const splitOf = (count: number): number => {
  let split = 1
  while (split * 2 < count) split *= 2
  return split
}

/** The root over the leaves from the index `first` up to the index `end` − 1. There must be at least one leaf. */
export const rootOver = (first: number, end: number, full: FullSubtrees): Hash => {
  const count = end - first
  let [level, width] = [0, 1]
  for (; width < count; width *= 2) level++
  if (width === count) return full(level, first / count)
  const middle = first + width / 2
  return nodeOf(rootOver(first, middle, full), rootOver(middle, end, full))
}

/** The root of the tree over the first `size` leaves. */
export const rootOf = (size: number, full: FullSubtrees): Hash =>
  size === 0 ? emptyRoot : rootOver(0, size, full)
