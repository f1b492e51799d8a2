// The tree of a log in tiles of 256 hashes (C2SP tlog-tiles). The leaves stay in the log. Memory holds one hash for
// each full tile, and the leaves after the last full tile.
import { DamagedEvent } from '../../contract/stored.ts'
import type { Hash } from '../tree/hash.ts'
import { type FullSubtrees, rootOf, rootOfFull } from '../tree/subtrees.ts'

/** The number of hashes in a full tile, and the number of levels of the tree that a tile spans: 2^8 = 256. */
export const tileWidth = 256
const tileLevels = 8
/** The largest number of tiles of leaves that stay in memory after they were read. */
const mostCached = 64

export type Tile = { level: number; index: number; width: number }
/** How many leaves a tree needs to have this tile. */
export const endOf = ({ level, index, width }: Tile): number =>
  (index * tileWidth + width) * tileWidth ** level

export type TileTree = {
  size(): number
  add(leaf: Hash): void
  /** The hashes of all full tiles of leaves, in order. */
  tiles(): readonly Hash[]
  /** The root of the tree over the first `size` leaves. The tree must have as many. */
  root(size: number): Hash
  full: FullSubtrees
  /** The hashes of a tile. The tree must have all leaves below the tile. */
  tile(tile: Tile): Hash[]
}

/**
 * `leavesOf` reads added leaves again; `tiles` are the hashes of the first full tiles of leaves. The tree throws
 * DamagedEvent when the leaves that it reads again do not have the hash of their tile.
 */
export const createTileTree = (
  leavesOf: (first: number, count: number) => Hash[],
  tiles: readonly Hash[],
): TileTree => {
  /** levels[n]: the hashes of all full tiles of the level n. */
  const levels: Hash[][] = []
  let tail: Hash[] = []
  const cached = new Map<number, Hash[]>()

  const addTile = (level: number, hash: Hash): void => {
    levels[level] ??= []
    const row = levels[level]
    row.push(hash)
    if (row.length % tileWidth === 0) addTile(level + 1, rootOfFull(row.slice(-tileWidth)))
  }
  for (const hash of tiles) addTile(0, hash)
  const fullTiles = (): number => levels[0]?.length ?? 0

  const readTile = (index: number): Hash[] => {
    const first = index * tileWidth
    const hashes = leavesOf(first, tileWidth)
    if (rootOfFull(hashes) === levels[0]?.[index]) return hashes
    throw new DamagedEvent(first + 1, `or one of the ${tileWidth - 1} after it does not match the tree`)
  }
  const leafTile = (index: number): readonly Hash[] => {
    if (index === fullTiles()) return tail
    const hashes = cached.get(index) ?? readTile(index)
    cached.delete(index)
    cached.set(index, hashes) // now it is the newest
    const [oldest] = cached.keys()
    if (cached.size > mostCached && oldest !== undefined) cached.delete(oldest)
    return hashes
  }
  /** Returns `count` hashes of one tile, from the index `first` of its level on. */
  const hashesOf = (level: number, first: number, count: number): Hash[] => {
    const row = level === 0 ? leafTile(Math.floor(first / tileWidth)) : (levels[level - 1] ?? [])
    const start = level === 0 ? first % tileWidth : first
    return row.slice(start, start + count)
  }
  const full: FullSubtrees = (level, index) => {
    const width = 2 ** (level % tileLevels)
    return rootOfFull(hashesOf(Math.floor(level / tileLevels), index * width, width))
  }
  const size = () => fullTiles() * tileWidth + tail.length

  return {
    size,
    add(leaf) {
      tail.push(leaf)
      if (tail.length < tileWidth) return
      const hash = rootOfFull(tail)
      tail = []
      addTile(0, hash)
    },
    tiles: () => levels[0] ?? [],
    root: count => rootOf(count, full),
    full,
    tile: ({ level, index, width }) => hashesOf(level, index * tileWidth, width),
  }
}
