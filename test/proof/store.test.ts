// The tree of a log on the disk against the tree of the same leaves in memory: while it grows, after it was opened
// again, and when its file of tiles is missing, cut, foreign or damaged.

import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { rootOfLog } from '../../src/proof/anchor-check.ts'
import { type Keeper, openKeeper } from '../../src/proof/store/keeper.ts'
import { createTileTree } from '../../src/proof/store/tiles.ts'
import { createGrowingTree } from '../../src/proof/tree/growing.ts'
import type { Hash } from '../../src/proof/tree/hash.ts'
import { rootOf } from '../../src/proof/tree/subtrees.ts'
import { verifyConsistency, verifyInclusion } from '../../src/proof/tree/verify.ts'
import { fileIn, numbered, openFile, to } from '../log/support.ts'
import { someLeaves } from './trees.ts'

const rootsOf = (leaves: readonly Hash[]): Hash[] => {
  const tree = createGrowingTree()
  return [
    tree.root(),
    ...leaves.map(leaf => {
      tree.add(leaf)
      return tree.root()
    }),
  ]
}

t.test('tiles of three levels give the roots of all their leaves', async t => {
  const count = 256 * 256 + 300
  const leaves = someLeaves(count)
  const roots = rootsOf(leaves)
  let read = 0
  const leavesOf = (first: number, width: number) => {
    read++
    return leaves.slice(first, first + width)
  }
  const tree = createTileTree(leavesOf, [])
  for (const leaf of leaves) tree.add(leaf)
  t.equal(tree.size(), count)
  for (const size of [1, 255, 256, 257, 65_535, 65_536, 65_537, count])
    t.equal(tree.root(size), roots[size], `${size}`)
  t.equal(tree.tile({ level: 2, index: 0, width: 1 })[0], roots[65_536])
  t.equal(tree.tile({ level: 1, index: 0, width: 256 })[0], roots[256])
  t.same(tree.tile({ level: 0, index: 257, width: 5 }), leaves.slice(257 * 256, 257 * 256 + 5))
  t.same(tree.tile({ level: 0, index: 1, width: 256 }), leaves.slice(256, 512))

  const again = createTileTree(leavesOf, tree.tiles())
  for (const leaf of leaves.slice(257 * 256)) again.add(leaf)
  read = 0
  t.equal(rootOf(count, again.full), roots[count])
  t.ok(read <= 1, 'its root needs no leaf before the last full tile')
})

const size = 700
/** A log with events, the files of its tree, and the roots of every size. */
const someLog = async (t: Test) => {
  const folder = t.testdir({})
  const files = { log: fileIn(folder), tiles: path.join(folder, 'tiles') }
  const log = await openFile(t, files.log)
  await log.append([to('task-a', -1, ...numbered(size))])
  const leaves = Array.from({ length: size }, (_, n) => log.leafAt(n + 1) ?? '')
  return { files, log, leaves, roots: rootsOf(leaves) }
}
const opened = (t: Test, files: Parameters<typeof openKeeper>[0], trusted: number): Keeper => {
  const keeper = openKeeper(files, trusted)
  t.teardown(() => keeper.close())
  return keeper
}

t.test('proofs from the files of a log are verified against its roots', async t => {
  const { files, leaves, roots } = await someLog(t)
  const keeper = opened(t, files, 0)
  t.same(keeper.grow(size, 300), { size: 300, root: roots[300] }, 'no more than it may do at once')
  t.same(keeper.grow(size), { size, root: roots[size] })
  t.equal(statSync(files.tiles).size, 2 * 32)
  for (const [position, at] of [
    [1, 1],
    [1, size],
    [256, 257],
    [600, 600],
    [513, size],
    [size, size],
  ] as const) {
    const { leaf, hashes } = keeper.inclusion(position, at)
    t.equal(leaf, leaves[position - 1])
    verifyInclusion(leaf, position - 1, { size: at, root: roots[at] ?? '' }, hashes)
  }
  for (const [from, at] of [
    [0, size],
    [1, 2],
    [256, 512],
    [300, size],
    [size, size],
  ] as const) {
    const [old, later] = [from, at].map(each => ({ size: each, root: roots[each] ?? '' }))
    if (old && later) verifyConsistency(old, later, keeper.consistency(from, at))
  }
  t.equal(keeper.entries({ index: 2, width: 3 }).length, 3)
})

t.test('a tree that was opened again answers before it was grown', async t => {
  const { files, roots, leaves } = await someLog(t)
  const before = opened(t, files, 0)
  before.grow(size)
  const { leaf, hashes } = opened(t, files, 2).inclusion(300, 650)
  verifyInclusion(leaf, 299, { size: 650, root: roots[650] ?? '' }, hashes)
  t.same(opened(t, files, 2).tile({ level: 0, index: 2, width: 9 }), leaves.slice(512, 521))
  t.equal(opened(t, files, 2).grow(size).root, roots[size])
})

t.test('whatever happened to the file of tiles, the root is that of the log', async t => {
  const { files, roots } = await someLog(t)
  const expected = roots[size] ?? ''
  const whole = () => {
    opened(t, files, 0).grow(size)
    return readFileSync(files.tiles)
  }
  const bytes = whole()
  const harm: Record<string, () => void> = {
    missing: () => rmSync(files.tiles),
    empty: () => truncateSync(files.tiles, 0),
    'cut within a hash': () => truncateSync(files.tiles, 45),
    'damaged at its start': () => writeFileSync(files.tiles, Buffer.from(bytes).fill(0, 3, 4)),
    'of another log': () => writeFileSync(files.tiles, Buffer.alloc(64, 7)),
    'longer than the log': () => writeFileSync(files.tiles, Buffer.concat([bytes, bytes, bytes])),
  }
  for (const [name, harmIt] of Object.entries(harm)) {
    whole()
    harmIt()
    t.equal(rootOfLog(files, size, expected), expected, name)
    t.ok(readFileSync(files.tiles).equals(bytes), `${name}: the file is made again`)
  }
  t.not(rootOfLog(files, size, roots[5] ?? ''), roots[5], 'a checkpoint that is wrong stays wrong')
})

t.test('leaves and headers that are no longer those of the tree are refused, and named', async t => {
  const { files } = await someLog(t)
  const grown = () => {
    const keeper = opened(t, files, 0)
    keeper.grow(size)
    return keeper
  }
  const [, one, two, three] = [0, 1, 2, 3].map(grown) as [Keeper, Keeper, Keeper, Keeper]
  const change = (sql: string) => {
    const db = new Database(files.log)
    db.exec(
      `DROP TRIGGER IF EXISTS events_are_never_changed; DROP TRIGGER IF EXISTS events_are_never_removed; ${sql}`,
    )
    db.close()
  }
  const tile = { level: 0, index: 0, width: 256 }
  change(
    `UPDATE events SET leaf = '${'A'.repeat(43)}' WHERE position = 7; UPDATE events SET header = replace(header, ':', ': ') WHERE position = 600`,
  )
  t.throws(() => one.inclusion(8, size), /position 1 or one of the 255 after it does not match the tree/)
  t.throws(() => one.tile(tile), /does not match the tree/)
  t.throws(() => one.consistency(5, size), /does not match the tree/)
  t.ok(one.inclusion(300, size), 'what does not need the tile is proven')
  t.throws(() => two.entries({ index: 2, width: 100 }), /position 600 does not match its leaf/)
  change('DELETE FROM events WHERE position IN (9, 10)')
  t.throws(() => three.tile(tile), /position 9 is missing/)
  t.throws(() => three.entries({ index: 0, width: 20 }), /position 9 is missing/)
})
