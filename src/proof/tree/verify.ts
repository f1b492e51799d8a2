// Verifies the proofs of RFC 6962: computes the roots that follow from a proof, and splits the tree as the prover did.
import { NotProven } from '../not-proven.ts'
import { emptyRoot, type Hash, nodeOf } from './hash.ts'
import { splitOf } from './subtrees.ts'

/** Reads the hashes of a proof in order. Throws NotProven when there are too few hashes, or when some are left. */
const reader = (proof: readonly Hash[]) => {
  let taken = 0
  return {
    next(): Hash {
      const hash = proof[taken++]
      if (hash === undefined) throw new NotProven(`the proof has only ${proof.length} hashes, and needs more`)
      return hash
    },
    done(): void {
      if (taken < proof.length)
        throw new NotProven(`the proof has ${proof.length} hashes, and ${taken} are needed`)
    },
  }
}

const mustBeSize = (size: number, most: number, what: string): void => {
  if (!Number.isSafeInteger(size) || size < 0 || size > most)
    throw new NotProven(`${what} is ${size}, and must be a whole number from 0 to ${most}`)
}

/** Computes the root of the tree of this size from the leaf with this index and a proof. Throws NotProven. */
export const rootByInclusion = (leaf: Hash, index: number, size: number, proof: readonly Hash[]): Hash => {
  mustBeSize(size, Number.MAX_SAFE_INTEGER, 'the tree size')
  mustBeSize(index, size - 1, 'the leaf index')
  const hashes = reader(proof)
  const within = (first: number, end: number): Hash => {
    if (end - first === 1) return leaf
    const middle = first + splitOf(end - first)
    if (index < middle) {
      const left = within(first, middle)
      return nodeOf(left, hashes.next())
    }
    const right = within(middle, end)
    return nodeOf(hashes.next(), right)
  }
  const root = within(0, size)
  hashes.done()
  return root
}

/** Throws NotProven unless `leaf` is the leaf with this index in `tree`. */
export const verifyInclusion = (
  leaf: Hash,
  index: number,
  tree: { size: number; root: Hash },
  proof: readonly Hash[],
): void => {
  if (rootByInclusion(leaf, index, tree.size, proof) !== tree.root)
    throw new NotProven(`the leaf ${index} is not in the tree of the size ${tree.size} with this root`)
}

/** Throws NotProven unless the later tree begins with the leaves of the old tree, in order and unchanged. */
export const verifyConsistency = (
  old: { size: number; root: Hash },
  later: { size: number; root: Hash },
  proof: readonly Hash[],
): void => {
  mustBeSize(later.size, Number.MAX_SAFE_INTEGER, 'the size of the later tree')
  mustBeSize(old.size, later.size, 'the size of the old tree')
  const hashes = reader(proof)
  /** The root of this part of the leaves in the old tree, and its root in the later tree. */
  const within = (first: number, end: number, isWhole: boolean): [Hash, Hash] => {
    if (old.size === end) {
      const root = isWhole ? old.root : hashes.next()
      return [root, root]
    }
    const middle = first + splitOf(end - first)
    if (old.size <= middle) {
      const [before, after] = within(first, middle, isWhole)
      return [before, nodeOf(after, hashes.next())]
    }
    const [before, after] = within(middle, end, false)
    const left = hashes.next()
    return [nodeOf(left, before), nodeOf(left, after)]
  }
  const [before, after] = old.size === 0 ? [emptyRoot, later.root] : within(0, later.size, true)
  hashes.done()
  if (before !== old.root || after !== later.root || (later.size === 0 && later.root !== emptyRoot))
    throw new NotProven(
      `the tree of the size ${old.size} is not the beginning of the tree of the size ${later.size}`,
    )
}
