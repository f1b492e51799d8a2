// Destroys on this node what a stored event PayloadsErased covers: the payloads, and the keys that have sealed them.
import { erasedPartsOf } from '../../contract/erased-range.ts'
import type { ErasureCursor, Store } from '../../log/store.ts'
import type { StreamKeys } from '../keys/stream-keys.ts'

type Local = Pick<Store, 'page' | 'headOf' | 'destroy'>

/** The numbers of the streams that the event at a position names. */
const streamsOf = (local: Local, by: number): number[] =>
  local
    .page(by - 1, 1)
    .flatMap(erasedPartsOf)
    .flatMap(([stream]) => local.headOf(stream)?.no ?? [])

export const destroyKeys = (local: Local, keys: StreamKeys, by: number): void =>
  keys.destroy(streamsOf(local, by))

export const destroyAll = async (local: Local, keys: StreamKeys, by: number): Promise<void> => {
  for (let after: ErasureCursor | undefined; ; ) {
    const { next } = await local.destroy(by, after)
    if (next === undefined) break
    after = next
  }
  destroyKeys(local, keys, by)
}
