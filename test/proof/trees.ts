// Trees for tests, and the tree of RFC 6962 written down once more in the words of the RFC, from all leaves at once.
import { createHash } from 'node:crypto'
import { NotProven } from '../../src/proof/not-proven.ts'
import type { Hash } from '../../src/proof/tree/hash.ts'

const sha256 = (...parts: Buffer[]): Hash => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('base64url')
}
const bytesOf = (hash: Hash) => Buffer.from(hash, 'base64url')
const joined = (left: Hash, right: Hash) => sha256(Buffer.of(1), bytesOf(left), bytesOf(right))

export const leafOfBytes = (bytes: Buffer): Hash => sha256(Buffer.of(0), bytes)
export const someLeaves = (count: number, salt = ''): Hash[] =>
  Array.from({ length: count }, (_, n) => leafOfBytes(Buffer.from(`${salt}${n}`)))

/** The Merkle Tree Hash of section 2.1. */
export const treeHash = (leaves: Hash[]): Hash => {
  if (leaves.length === 0) return sha256()
  if (leaves.length === 1) return leaves[0] ?? ''
  const k = halfOf(leaves.length)
  return joined(treeHash(leaves.slice(0, k)), treeHash(leaves.slice(k)))
}
const halfOf = (n: number): number => 2 ** (n.toString(2).length - (Number.isInteger(Math.log2(n)) ? 2 : 1))

/** Reads full subtrees from leaves in memory. Fails when a leaf is not there. */
export const fullOf = (leaves: readonly Hash[]) => {
  const known = new Map<string, Hash>()
  return (level: number, index: number): Hash => {
    const key = `${level} ${index}`
    const width = 2 ** level
    const part = leaves.slice(index * width, (index + 1) * width)
    if (part.length !== width) throw new Error(`the subtree ${index} of level ${level} is not full`)
    const hash = known.get(key) ?? treeHash(part)
    known.set(key, hash)
    return hash
  }
}

type Tree = { size: number; root: Hash }

/** The algorithm of RFC 9162, section 2.1.3.2: climbs from the leaf, bit by bit. */
export const climbs = (leaf: Hash, index: number, { size, root }: Tree, proof: Hash[]): boolean => {
  let [fn, sn, r] = [index, size - 1, leaf]
  if (index >= size) return false
  for (const p of proof) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      r = joined(p, r)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1]
    } else {
      r = joined(r, p)
    }
    fn >>= 1
    sn >>= 1
  }
  return sn === 0 && r === root
}

/** The algorithm of RFC 9162, section 2.1.4.2, for an old tree that is smaller than the later one and not empty. */
export const extended = (old: Tree, later: Tree, proof: Hash[]): boolean => {
  const path = Number.isInteger(Math.log2(old.size)) ? [old.root, ...proof] : [...proof]
  let [fn, sn] = [old.size - 1, later.size - 1]
  while (fn % 2 === 1) [fn, sn] = [fn >> 1, sn >> 1]
  const [first, ...rest] = path
  if (first === undefined) return false
  let [fr, sr] = [first, first]
  for (const c of rest) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      ;[fr, sr] = [joined(c, fr), joined(c, sr)]
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [fn >> 1, sn >> 1]
    } else {
      sr = joined(sr, c)
    }
    fn >>= 1
    sn >>= 1
  }
  return sn === 0 && fr === old.root && sr === later.root
}

/** Whether a call throws NotProven, and not some other error. */
export const provesNothing = (verify: () => unknown): boolean => {
  try {
    verify()
    return false
  } catch (error) {
    return error instanceof NotProven
  }
}
