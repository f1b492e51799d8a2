// A tree that only grows, for code that reads all leaves in order and needs only roots. The tree keeps one hash for
// each full subtree at its right edge: about 20 hashes for a million leaves.
import { emptyRoot, type Hash, nodeOf } from './hash.ts'

export type GrowingTree = {
  /** Adds a leaf, or the root of a full subtree over `leaves` leaves, if the tree's size is a multiple of `leaves`. */
  add(hash: Hash, leaves?: number): void
  size(): number
  root(): Hash
}

export const createGrowingTree = (): GrowingTree => {
  let size = 0
  /** The roots of the full subtrees, the largest subtree first. There is one root for each 1 in the binary size. */
  const edge: Hash[] = []
  return {
    add(added, leaves = 1) {
      let hash = added
      size += leaves
      // Each factor 2 in the size completes a larger subtree. Its root replaces the roots of its two halves.
      for (let rest = size / leaves; rest % 2 === 0; rest /= 2) hash = nodeOf(edge.pop() ?? '', hash)
      edge.push(hash)
    },
    size: () => size,
    root: () => (edge.length === 0 ? emptyRoot : edge.reduceRight((right, left) => nodeOf(left, right))),
  }
}
