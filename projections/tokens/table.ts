// Writes the tokens read model: one row for each token, with its hash.
import { type PrincipalEvent, principalEvents } from '../../src/contract/decoders/principal.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import type { Projection } from '../folding.ts'
import type { ReadStore } from '../store.ts'

export const tokensProjection = (store: ReadStore): Projection => {
  const insert = store.prepare(
    `INSERT INTO tokens (id, hash, role, name, user_id, created_at, expires_at, revoked)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0)`,
  )
  const revoke = store.prepare('UPDATE tokens SET revoked = 1 WHERE id = ?')
  let taken: Recorded<PrincipalEvent>[] = []
  return {
    fold(events) {
      for (const stored of events) {
        const event = principalEvents.find(stored)
        if (event !== undefined) taken.push(event)
      }
    },
    write() {
      for (const { type, header, data } of taken) {
        if (type === 'TokenCreated') {
          const { token_id, hash, role, name = null, user_id = null, expires_at = null } = data
          insert.run(token_id, hash, role, name, user_id, Date.parse(header.time), expires_at)
        }
        if (type === 'TokenRevoked') revoke.run(data.token_id)
      }
      taken = []
    },
    forget() {
      taken = []
    },
  }
}
