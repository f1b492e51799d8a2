// Keeps the tree of a log: grows the tree from the leaves of the log, stores its tiles, and reads proofs and tiles.
import { DamagedEvent } from '../../contract/stored.ts'
import { openLeaves } from '../../log/chosen-storage.ts'
import { leafOf } from '../../log/leaf.ts'
import type { Leaves } from '../../log/storage.ts'
import type { Hash } from '../tree/hash.ts'
import { consistencyProof, inclusionProof } from '../tree/proofs.ts'
import { openTileFile } from './tile-file.ts'
import { createTileTree, endOf, type Tile, tileWidth } from './tiles.ts'

/** The number of leaves in one read of the log. */
const pageLeaves = 4096

export type TreeFiles = {
  /** The file of the log. */
  log: string
  /** The file with the hashes of the full tiles of the log's leaves. */
  tiles: string
}

/** Compares the events that it reads again with the tree. All methods but `close` throw DamagedEvent. */
export type Keeper = {
  /** Lets the tree grow to the size `to`, but by at most `most` leaves. Returns the reached size and its root. */
  grow(to: number, most?: number): { size: number; root: Hash }
  /** The leaf at a position, and the proof that the tree of this size contains it. The log must be that long. */
  inclusion(position: number, size: number): { leaf: Hash; hashes: Hash[] }
  consistency(from: number, to: number): Hash[]
  /** The hashes of a tile. The log must have all leaves below the tile. */
  tile(tile: Tile): Hash[]
  /** The headers of the events of a tile of leaves. The log must have all these events. */
  entries(tile: Omit<Tile, 'level'>): string[]
  close(): void
}

/** `trusted`: how many hashes in the file are known to be right; the other ones are made anew. Throws CannotStart. */
export const openKeeper = (files: TreeFiles, trusted: number): Keeper => {
  const log: Leaves = openLeaves(files.log)
  const file = openTileFile(files.tiles)
  const tree = createTileTree(log.leaves, file.read(trusted))
  const grow: Keeper['grow'] = (to, most = Number.POSITIVE_INFINITY) => {
    const end = Math.min(to, tree.size() + most)
    while (tree.size() < end)
      for (const leaf of log.leaves(tree.size(), Math.min(pageLeaves, end - tree.size()))) tree.add(leaf)
    file.write(tree.tiles())
    const size = Math.min(to, tree.size())
    return { size, root: tree.root(size) }
  }
  /** Lets the tree grow to this size, if it is smaller: for example, when the thread has just been started again. */
  const reach = (size: number): void => {
    if (tree.size() < size) grow(size)
  }
  return {
    grow,
    inclusion(position, size) {
      reach(size)
      return { leaf: tree.full(0, position - 1), hashes: inclusionProof(position - 1, size, tree.full) }
    },
    consistency(from, to) {
      reach(to)
      return consistencyProof(from, to, tree.full)
    },
    tile(tile) {
      reach(endOf(tile))
      return tree.tile(tile)
    },
    entries({ index, width }) {
      reach(endOf({ level: 0, index, width }))
      const leaves = tree.tile({ level: 0, index, width })
      return log.headers(index * tileWidth, width).map((header, n) => {
        if (leafOf(header) === leaves[n]) return header
        throw new DamagedEvent(index * tileWidth + n + 1, 'does not match its leaf')
      })
    },
    close() {
      log.close()
      file.close()
    },
  }
}
