// Makes the proofs of RFC 6962, section 2.1. A proof is a list of hashes, from the leaves to the root.
import type { Hash } from './hash.ts'
import { type FullSubtrees, rootOver, splitOf } from './subtrees.ts'

/**
 * Proves that the leaf with this index is in the tree of this size. `index` is from 0 to size − 1. The list is empty
 * when the tree has only this leaf.
 */
export const inclusionProof = (index: number, size: number, full: FullSubtrees): Hash[] => {
  const within = (first: number, end: number): Hash[] => {
    if (end - first === 1) return []
    const middle = first + splitOf(end - first)
    return index < middle
      ? [...within(first, middle), rootOver(middle, end, full)]
      : [...within(middle, end), rootOver(first, middle, full)]
  }
  return within(0, size)
}

/**
 * Proves that the tree of the size `to` begins with the leaves of the tree of the size `from`. `from` must be between 0
 * and `to`. The list is empty when `from` is 0 or `to`.
 */
export const consistencyProof = (from: number, to: number, full: FullSubtrees): Hash[] => {
  /** `isWhole`: when `end` is `from`, this subtree is the whole old tree, so the verifier knows the root already. */
  const within = (first: number, end: number, isWhole: boolean): Hash[] => {
    if (from === end) return isWhole ? [] : [rootOver(first, end, full)]
    const middle = first + splitOf(end - first)
    return from <= middle
      ? [...within(first, middle, isWhole), rootOver(middle, end, full)]
      : [...within(middle, end, false), rootOver(first, middle, full)]
  }
  return from === 0 ? [] : within(0, to, true)
}
