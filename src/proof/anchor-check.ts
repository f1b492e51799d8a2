// Compares a log with a checkpoint that was signed earlier.

import { openKeeper, type TreeFiles } from './store/keeper.ts'
import { tileWidth } from './store/tiles.ts'
import type { Hash } from './tree/hash.ts'

const rootAt = (files: TreeFiles, trusted: number, size: number): Hash => {
  const keeper = openKeeper(files, trusted)
  try {
    return keeper.grow(size).root
  } finally {
    keeper.close()
  }
}

/** The number of hashes that the file of tiles has for a tree of this size: one for each full tile of leaves. */
export const tilesAt = (size: number): number => Math.floor(size / tileWidth)

/**
 * The root of the first `size` events of the log. It is computed from the file of tiles, except for the last full tile,
 * so that some events of the log itself are always read. When the root is not the expected one, the file may be
 * damaged: then the whole log is read, and the file is made again. Throws DamagedEvent.
 */
export const rootOfLog = (files: TreeFiles, size: number, expected: Hash): Hash => {
  const trusted = Math.max(0, tilesAt(size) - 1)
  const root = rootAt(files, trusted, size)
  return root === expected || trusted === 0 ? root : rootAt(files, 0, size)
}
