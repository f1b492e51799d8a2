// Reads checkpoints of the log, and proves in the browser that the log only grew between two sizes.
import type { Static } from 'typebox'
import type { ConsistencyProof, InclusionProof } from '../../src/contract/audit-responses.ts'
import { fromBase64, type Hash } from '../../src/proof/tree/hash.ts'
import { rootByInclusion, verifyConsistency } from '../../src/proof/tree/verify.ts'
import { queryOf } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { api } from '../api/session.ts'
import { openCheckpoint, readKeys } from '../proof/keys.ts'

/** `text`: the whole signed note, whose signature was verified here. */
export type Checkpoint = { origin: string; size: number; root: Hash; text: string }

/** Reads a checkpoint and verifies its signature. Throws NotProven. */
export const readShownCheckpoint = (text: string, keys: string): Checkpoint => {
  const { origin, size, root } = openCheckpoint(`${text.trim()}\n`, readKeys(keys))
  return { origin, size, root, text }
}

/** `keys`: a line for each key of the log. */
export type Newest = { checkpoint: Checkpoint; keys: string }
/** The newest checkpoint, and the keys that sign; undefined while the log has no checkpoint. */
export const readNewest = async (): Promise<Newest | undefined> => {
  try {
    const keys = await api.text('/audit/public-key')
    return { checkpoint: readShownCheckpoint(await api.text('/audit/checkpoint'), keys), keys }
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return undefined
    throw error
  }
}

/** The root of the log of this size, computed from the path of its last event. */
const rootOf = async (size: number, newest: Checkpoint): Promise<Hash> => {
  if (size === newest.size) return newest.root
  const path = `/audit/proof${queryOf({ position: size, tree_size: size })}`
  const proof = await api.send<Static<typeof InclusionProof>>('GET', path)
  return rootByInclusion(fromBase64(proof.leaf), proof.leaf_index, size, proof.hashes.map(fromBase64))
}

export type Sizes = { from: number; to: number }

/**
 * Proves that the log of the size `from` is the beginning of the log of the size `to`. `known` is an earlier checkpoint
 * of the size `from`, which the reader has kept. Resolves to the number of hashes that were checked. Rejects when this
 * is not proven.
 */
export const proveGrowth = async (
  { from, to }: Sizes,
  newest: Checkpoint,
  known?: Checkpoint,
): Promise<number> => {
  if (known !== undefined && known.origin !== newest.origin)
    throw new Error(`The checkpoint is of ${known.origin}, and this log is ${newest.origin}`)
  const path = `/audit/consistency${queryOf({ from, to })}`
  const [{ hashes }, old, later] = await Promise.all([
    api.send<Static<typeof ConsistencyProof>>('GET', path),
    known?.root ?? rootOf(from, newest),
    rootOf(to, newest),
  ])
  verifyConsistency({ size: from, root: old }, { size: to, root: later }, hashes.map(fromBase64))
  return hashes.length
}
