// Roots of parts of a tree (RFC 6962). A part begins at a leaf whose index is a multiple of a power of two that is at
// least the length of the part, as all parts in proofs do. Full subtrees, whose length is a power of two, never change,
// so they can be stored; every other root follows from a few of them.
import { emptyRoot, type Hash, nodeOf } from './hash.ts'

/** Gives the root of a full subtree: the one over 2^level leaves that begins at the leaf index × 2^level. */
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

/** The largest power of two below a number of leaves, which is at least 2: where the tree over them is split. */
export const splitOf = (count: number): number => {
  let split = 1
  while (split * 2 < count) split *= 2
  return split
}

/** The root over the leaves from the index `first` to before the index `end`; there is at least one. */
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
