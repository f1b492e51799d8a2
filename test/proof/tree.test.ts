// The tree of RFC 6962 against its published vectors, against the RFC's own words, and against two verifiers that climb
// bit by bit, as ours does not.

import t from 'tap'
import { createGrowingTree } from '../../src/proof/tree/growing.ts'
import { emptyRoot, fromBase64, fromBytes, nodeOf, toBase64, toBytes } from '../../src/proof/tree/hash.ts'
import { consistencyProof, inclusionProof } from '../../src/proof/tree/proofs.ts'
import { rootOf, rootOfFull, splitOf } from '../../src/proof/tree/subtrees.ts'
import { rootByInclusion, verifyConsistency, verifyInclusion } from '../../src/proof/tree/verify.ts'
import fc from '../support/fast-check.ts'
import { climbs, extended, fullOf, leafOfBytes, provesNothing, someLeaves, treeHash } from './trees.ts'

/** The leaves and roots that implementations of Certificate Transparency test themselves with. */
const published = [
  ['', '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
  ['00', 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
  ['10', 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
  ['2021', 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
  ['3031', '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
  ['40414243', '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
  ['5051525354555657', 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
  ['606162636465666768696a6b6c6d6e6f', '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
] as const
const hex = (hash: string) => Buffer.from(hash, 'base64url').toString('hex')

t.test('the published leaves give the published roots and proofs', t => {
  const leaves = published.map(([leaf]) => leafOfBytes(Buffer.from(leaf, 'hex')))
  const tree = createGrowingTree()
  t.equal(hex(emptyRoot), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  t.equal(tree.root(), emptyRoot)
  published.forEach(([, root], n) => {
    tree.add(leaves[n] ?? '')
    t.equal(hex(tree.root()), root)
    t.equal(hex(rootOf(n + 1, fullOf(leaves))), root)
  })
  t.same(inclusionProof(0, 8, fullOf(leaves)).map(hex), [
    '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
    '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
    '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
  ])
  t.end()
})

const most = 130
const leaves = someLeaves(most)
const full = fullOf(leaves)
const trees = Array.from({ length: most + 1 }, (_, size) => ({ size, root: treeHash(leaves.slice(0, size)) }))
const treeOf = (size: number) => trees[size] ?? { size, root: '' }

t.test('every leaf of every tree is proven, and no proof fits another leaf', t => {
  for (const tree of trees.slice(1)) {
    let wrong = 0
    for (let index = 0; index < tree.size; index++) {
      const leaf = leaves[index] ?? ''
      const proof = inclusionProof(index, tree.size, full)
      verifyInclusion(leaf, index, tree, proof)
      if (!climbs(leaf, index, tree, proof)) wrong++
      const next = (index + 1) % tree.size
      if (next === index) continue
      // A leaf's proof fits neither the next place nor the next leaf.
      for (const [at, given] of [
        [next, leaf],
        [index, leaves[next] ?? ''],
      ] as const) {
        if (!provesNothing(() => verifyInclusion(given, at, tree, proof))) wrong++
      }
    }
    t.equal(wrong, 0, `size ${tree.size}`)
  }
  t.end()
})

t.test('every tree is proven to begin with every smaller one', t => {
  for (const later of trees) {
    let wrong = 0
    for (const old of trees.slice(0, later.size + 1)) {
      const proof = consistencyProof(old.size, later.size, full)
      verifyConsistency(old, later, proof)
      const isTrivial = old.size === 0 || old.size === later.size
      if (isTrivial ? proof.length > 0 : !extended(old, later, proof)) wrong++
      if (isTrivial) continue
      const forged = { size: old.size, root: treeOf(old.size - 1).root }
      if (!provesNothing(() => verifyConsistency(forged, later, proof))) wrong++
    }
    t.equal(wrong, 0, `size ${later.size}`)
  }
  t.end()
})

t.test('a proof with a hash that is changed, missing, added or moved proves nothing', t => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: most }), fc.nat(), fc.nat(), fc.nat(3), (size, a, b, how) => {
      const [tree, index] = [treeOf(size), a % size]
      const good = inclusionProof(index, size, full)
      const at = b % good.length
      const bad = [
        good.with(at, nodeOf(good[at] ?? '', good[at] ?? '')),
        good.toSpliced(at, 1),
        good.toSpliced(at, 0, good[at] ?? ''),
        good.length === 1 ? [] : good.toReversed(),
      ][how]
      t.ok(provesNothing(() => verifyInclusion(leaves[index] ?? '', index, tree, bad ?? [])))
    }),
    { numRuns: 300 },
  )
  t.end()
})

t.test('a tree that grows leaf by leaf has the roots of the whole', t => {
  const tree = createGrowingTree()
  for (const [n, leaf] of leaves.entries()) {
    tree.add(leaf)
    if (tree.root() !== treeOf(n + 1).root || tree.size() !== n + 1) t.fail(`size ${n + 1}`)
  }
  t.equal(tree.size(), most)
  t.end()
})

t.test('a tree that grows by full subtrees and single leaves has the roots of the whole', t => {
  for (const width of [1, 2, 8, 32]) {
    const tree = createGrowingTree()
    for (let n = 0; n + width <= most; n += width) {
      tree.add(rootOfFull(leaves.slice(n, n + width)), width)
      if (tree.root() !== treeOf(n + width).root) t.fail(`${width} leaves at ${n}`)
    }
    for (const leaf of leaves.slice(tree.size(), most)) tree.add(leaf)
    t.equal(tree.root(), treeOf(most).root)
  }
  t.end()
})

t.test('impossible numbers are refused', t => {
  const tree = treeOf(8)
  for (const index of [-1, 8, 0.5, Number.NaN, 2 ** 53])
    t.throws(() => rootByInclusion(leaves[0] ?? '', index, 8, []), /must be a whole number/)
  for (const size of [-1, 9, 1.5]) {
    const old = { size, root: tree.root }
    t.throws(() => verifyConsistency(old, tree, []), /must be a whole number/)
  }
  t.throws(() => verifyConsistency({ size: 0, root: tree.root }, tree, []), /is not the beginning/)
  t.throws(() => verifyConsistency(treeOf(0), { size: 0, root: tree.root }, []), /is not the beginning/)
  t.throws(() => verifyInclusion(leaves[0] ?? '', 0, tree, []), /has only 0 hashes/)
  t.throws(
    () => verifyInclusion(leaves[0] ?? '', 0, treeOf(1), [tree.root]),
    /has 1 hashes, and 0 are needed/,
  )
  t.equal(splitOf(2 ** 50 + 1), 2 ** 50, 'where doubles are no longer exact in their logarithm')
  t.end()
})

t.test('a hash has one text in each form', t => {
  const [one = '', two = ''] = leaves
  t.equal(fromBase64(toBase64(one)), one)
  t.same(fromBytes(toBytes([one, two])), [one, two])
  t.same(fromBytes(toBytes([one, two]).subarray(0, 63)), [one], 'a rest is left out')
  const lastBits = `${toBase64(one).slice(0, -2)}B=`
  for (const bad of ['', one, toBase64(one).slice(0, -1), `${toBase64(one)} `, lastBits, 'AAAA'])
    t.ok(
      provesNothing(() => fromBase64(bad)),
      bad,
    )
  t.ok(provesNothing(() => nodeOf(one.slice(1), two)))
  t.ok(provesNothing(() => nodeOf(one, '')))
  t.end()
})
