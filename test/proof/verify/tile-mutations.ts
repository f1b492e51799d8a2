// Random mutations of the file of tiles. It is no proof: a start must notice that it is wrong, and make it again.
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { rootOfLog, tilesAt } from '../../../src/proof/anchor-check.ts'
import { openKeeper } from '../../../src/proof/store/keeper.ts'
import { verifyConsistency, verifyInclusion } from '../../../src/proof/tree/verify.ts'
import { leavesIn } from '../attackers/leaves-in.ts'
import type { Random } from './mutations.ts'
import { addEvents, headOf, logOf } from './signed-folder.ts'

const tilesOf = (dataDir: string): string => path.join(dataDir, 'tiles')
const hashBytes = 32
/** The events of the log: some full tiles, and a tail. */
const events = 800

/** A folder with a log and its file of tiles. */
export const givenTiles = async (dataDir: string): Promise<void> => {
  const stream = 'task-a'
  await addEvents(
    dataDir,
    Array.from({ length: events }, (_, revision) => ({
      stream,
      revision,
      type: 'Noted',
      data: { revision },
    })),
  )
  const keeper = openKeeper({ log: logOf(dataDir), tiles: tilesOf(dataDir) }, 0)
  keeper.grow(events)
  keeper.close()
}

type Mutation = (file: string, bytes: Buffer, random: Random) => void

/** Each of them changes the bytes of the file. */
export const tileMutations: Record<string, Mutation> = {
  bits(file, bytes, random) {
    for (let count = 1 + random(4); count > 0; count--) {
      const at = random(bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8))
    }
    writeFileSync(file, bytes)
  },
  'swapped hashes': (file, bytes, random) => {
    const one = random(bytes.length / hashBytes - 1) * hashBytes
    const [first, second] = [one, one + hashBytes].map(at => Buffer.from(bytes.subarray(at, at + hashBytes)))
    if (first === undefined || second === undefined) return
    bytes.set(second, one)
    bytes.set(first, one + hashBytes)
    writeFileSync(file, bytes)
  },
  'a cut': (file, bytes, random) => truncateSync(file, random(bytes.length)),
  'a hash too much': (file, bytes, random) =>
    writeFileSync(file, Buffer.concat([bytes, Buffer.alloc(hashBytes, random(256))])),
  'only zeros': (file, bytes) => writeFileSync(file, Buffer.alloc(bytes.length)),
}

/** What the tree of a folder says wrongly, after a start has compared it with a checkpoint; undefined: nothing. */
const faultOf = (
  dataDir: string,
  root: string,
  leaves: readonly string[],
  random: Random,
): string | undefined => {
  const files = { log: logOf(dataDir), tiles: tilesOf(dataDir) }
  const size = leaves.length
  if (rootOfLog(files, size, root) !== root) return 'the log is refused'
  const keeper = openKeeper(files, tilesAt(size))
  try {
    if (keeper.grow(size).root !== root) return 'the root is another one'
    const [position, smaller] = [1 + random(size), 1 + random(size)]
    const { leaf, hashes } = keeper.inclusion(position, size)
    if (leaf !== leaves[position - 1]) return `the leaf of ${position} is another one`
    verifyInclusion(leaf, position - 1, { size, root }, hashes)
    const before = { size: smaller, root: keeper.grow(smaller).root }
    verifyConsistency(before, { size, root }, keeper.consistency(smaller, size))
    return undefined
  } catch (error) {
    return `a proof is wrong: ${(error as Error).message}`
  } finally {
    keeper.close()
  }
}

/** Mutates the tiles of copies of a folder. Yields a sentence for each wrong answer of the tree. */
export async function* wrongTrees(dataDir: string, count: number, random: Random): AsyncGenerator<string> {
  const whole = readFileSync(tilesOf(dataDir))
  const leaves = leavesIn(dataDir)
  const keeper = openKeeper({ log: logOf(dataDir), tiles: path.join(dataDir, 'other-tiles') }, 0)
  const { root } = keeper.grow(headOf(dataDir))
  keeper.close()
  const copy = mkdtempSync(path.join(os.tmpdir(), 'mutated-tiles-'))
  const names = Object.keys(tileMutations)
  try {
    cpSync(dataDir, copy, { recursive: true })
    for (let n = 0; n < count; n++) {
      const name = names[n % names.length] ?? ''
      writeFileSync(tilesOf(copy), whole)
      tileMutations[name]?.(tilesOf(copy), Buffer.from(whole), random)
      const fault = faultOf(copy, root, leaves, random)
      if (fault !== undefined) yield `mutation ${n} of the tiles (${name}): ${fault}`
      else if (!readFileSync(tilesOf(copy)).equals(whole))
        yield `mutation ${n} of the tiles (${name}): the file stays wrong`
    }
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
