// Makes the tree of the checkpoint of an export. The proofs in the export are read from this tree.
import { openLeaves } from '../../log/chosen-storage.ts'
import { yieldToLoop } from '../../platform/loop.ts'
import { tilesAt } from '../../proof/anchor-check.ts'
import { Misfit } from '../../proof/misfit.ts'
import { readTiles } from '../../proof/store/tile-file.ts'
import { createTileTree, type TileTree } from '../../proof/store/tiles.ts'
import type { Hash } from '../../proof/tree/hash.ts'

/** The number of leaves in one read of the log. */
const pageLeaves = 4096

type OnProgress = (done: number, total: number) => void
type OpenTree = { tree: TileTree; close: () => void }

const growTree = async (
  log: string,
  size: number,
  tiles: readonly Hash[],
  onProgress: OnProgress,
): Promise<OpenTree> => {
  const leaves = openLeaves(log)
  try {
    const tree = createTileTree(leaves.leaves, tiles)
    while (tree.size() < size) {
      const count = Math.min(pageLeaves, size - tree.size())
      for (const leaf of leaves.leaves(tree.size(), count)) tree.add(leaf)
      onProgress(tree.size(), size)
      await yieldToLoop()
    }
    return { tree, close: leaves.close }
  } catch (error) {
    leaves.close()
    throw error
  }
}

/**
 * The tree of a checkpoint. `tiles`: a file with hashes of full tiles, which saves the work to hash all leaves. When
 * these hashes do not give the root of the checkpoint, they are not used. Rejects with Misfit and DamagedEvent.
 */
export const treeOf = async (
  { log, tiles }: { log: string; tiles?: string },
  { size, root }: { size: number; root: Hash | undefined },
  onProgress: OnProgress,
): Promise<OpenTree> => {
  const stored = tiles === undefined ? [] : readTiles(tiles, tilesAt(size))
  const grown = await growTree(log, size, stored, onProgress)
  if (root === undefined || grown.tree.root(size) === root) return grown
  grown.close()
  if (stored.length > 0) return treeOf({ log }, { size, root }, onProgress)
  throw new Misfit(
    'the log does not fit its newest checkpoint: reprise verify names the first event that does not fit',
  )
}
