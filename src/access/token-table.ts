// Keeps all tokens that are not revoked in memory. They are loaded from the read model at the start, and updated with
// each commit. When a token was last used is only here, and not in the log, which would grow with each request.
import { principalEvents } from '../contract/decoders/principal.ts'
import type { TokenCreated } from '../contract/events/token-events.ts'
import type { Recorded } from '../contract/stored.ts'
import type { TokenRow } from '../tasks/queries.ts'

const rowOf = (
  { token_id, hash, role, name, user_id, expires_at }: TokenCreated,
  time: string,
): TokenRow => ({
  id: token_id,
  hash,
  role,
  name: name ?? null,
  user_id: user_id ?? null,
  created_at: Date.parse(time),
  expires_at: expires_at ?? null,
})

/** Empty until `fill`. */
export const createTokenTable = () => {
  const byHash = new Map<string, TokenRow>()
  const byId = new Map<string, TokenRow>()
  /** When each token was last used, by its id, in milliseconds. */
  const uses = new Map<string, number>()
  const add = (row: TokenRow): void => {
    byHash.set(row.hash, row)
    byId.set(row.id, row)
  }
  return {
    /** Replaces all tokens. */
    fill(all: readonly TokenRow[]): void {
      byHash.clear()
      byId.clear()
      for (const row of all) add(row)
    },
    /** Applies the events that were just committed. */
    take(events: readonly Recorded[]): void {
      for (const stored of events) {
        const event = principalEvents.find(stored)
        if (event?.type === 'TokenCreated') add(rowOf(event.data, event.header.time))
        if (event?.type === 'TokenRevoked') {
          const { token_id } = event.data
          byHash.delete(byId.get(token_id)?.hash ?? '')
          byId.delete(token_id)
          uses.delete(token_id)
        }
      }
    },
    byHash: (hash: string): TokenRow | undefined => byHash.get(hash),
    byId: (id: string): TokenRow | undefined => byId.get(id),
    noteUse({ id }: TokenRow, time: number): void {
      uses.set(id, time)
    },
    usedAt: (id: string): number | undefined => uses.get(id),
    list: (): TokenRow[] => [...byHash.values()],
  }
}
