// A tree that only grows, for those who read all leaves in order and need roots only. It keeps one hash for each full
// subtree at its right edge, about 20 hashes for a million leaves.
import { emptyRoot, type Hash, nodeOf } from './hash.ts'

export type GrowingTree = {
  /** Adds a leaf, or the root of a full subtree over `leaves` leaves. The size of the tree must be a multiple of `leaves`. */
  add(hash: Hash, leaves?: number): void
  size(): number
  root(): Hash
}

export const createGrowingTree = (): GrowingTree => {
  let size = 0
  /** The roots of full subtrees, the largest first: one for each bit of the size that is 1. */
  const edge: Hash[] = []
  return {
    add(added, leaves = 1) {
      let hash = added
      size += leaves
      // Each factor 2 of the size completes a subtree, which replaces its two halves.
      for (let rest = size / leaves; rest % 2 === 0; rest /= 2) hash = nodeOf(edge.pop() ?? '', hash)
      edge.push(hash)
    },
    size: () => size,
    root: () => (edge.length === 0 ? emptyRoot : edge.reduceRight((right, left) => nodeOf(left, right))),
  }
}
