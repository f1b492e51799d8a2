// The store of a node that owns the log. It reads from the local log, and writes to the shared log first.
import type { Store } from '../../log/store.ts'
import type { StreamKeys } from '../keys/stream-keys.ts'
import { destroyKeys } from './erasures.ts'
import type { Intake } from './intake.ts'
import type { Ownership } from './ownership.ts'

type Deps = {
  local: Store
  keys: StreamKeys
  intake: Pick<Intake, 'save'>
  ownership: Ownership
  reopen: () => Promise<void>
}

export const createOwnedStore = ({ local, keys, intake, ownership, reopen }: Deps): Store => ({
  ...local,
  isShared: true,
  write: async batch => ownership.owning().write(batch),
  writePiece: async piece => ownership.owning().writePiece(piece),
  dropPieces: async payload => ownership.owning().dropPieces(payload),
  async destroy(by, after) {
    const destroyed = await local.destroy(by, after)
    if (destroyed.next === undefined) destroyKeys(local, keys, by)
    return destroyed
  },
  reopen,
  async close() {
    await ownership.owner()?.settled()
    await intake.save()
    await local.close()
  },
})
