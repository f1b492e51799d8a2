// A tree that only grows, for those who read all leaves in order and need roots only. It keeps one hash for each full
// subtree at its right edge, about 20 hashes for a million leaves.
import { emptyRoot, type Hash, nodeOf } from './hash.ts'

export type GrowingTree = {
  add(leaf: Hash): void
  size(): number
  root(): Hash
}

export const createGrowingTree = (): GrowingTree => {
  let size = 0
  /** The roots of full subtrees, the largest first: one for each bit of the size that is 1. */
  const edge: Hash[] = []
  return {
    add(leaf) {
      let hash = leaf
      size++
      // Each factor 2 of the size completes a subtree, which replaces its two halves.
      for (let rest = size; rest % 2 === 0; rest /= 2) hash = nodeOf(edge.pop() ?? '', hash)
      edge.push(hash)
    },
    size: () => size,
    root: () => (edge.length === 0 ? emptyRoot : edge.reduceRight((right, left) => nodeOf(left, right))),
  }
}
