// The tokens read model: who may come in, by the hash of their token.
import type { Recorded } from '../../src/contract/stored.ts'
import { isPrincipalStream, type TokenCreated, type TokenRevoked } from '../../src/contract/token-events.ts'
import type { Projection } from '../projector.ts'
import type { ReadStore } from '../store.ts'

export const tokensProjection = (store: ReadStore): Projection => {
  const insert = store.prepare(
    'INSERT INTO tokens (id, hash, role, user_id, created_at, expires_at, revoked) VALUES (?, ?, ?, ?, ?, ?, 0)',
  )
  const revoke = store.prepare('UPDATE tokens SET revoked = 1 WHERE id = ?')
  let taken: Recorded[] = []
  return {
    fold(events) {
      for (const event of events) if (isPrincipalStream(event.header.stream)) taken.push(event)
    },
    write() {
      for (const { header, data } of taken) {
        if (header.type === 'TokenCreated') {
          const { token_id, hash, role, user_id, expires_at } = data as TokenCreated
          insert.run(token_id, hash, role, user_id ?? null, Date.parse(header.time), expires_at ?? null)
        }
        if (header.type === 'TokenRevoked') revoke.run((data as TokenRevoked).token_id)
      }
      taken = []
    },
    forget() {
      taken = []
    },
  }
}
