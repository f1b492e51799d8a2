// Reads the rows of tokens: which tokens are accepted, and for which user.
import type { Role } from '../../src/contract/token-events.ts'
import type { ReadStore } from '../store.ts'

export type TokenRow = {
  id: string
  hash: string
  role: Role
  name: string | null
  user_id: string | null
  created_at: number
  expires_at: number | null
}

export const createTokenRows = (store: ReadStore) => {
  const user = store.prepare<[string], string | null>('SELECT user_id FROM tokens WHERE id = ?').pluck()
  const all = store.prepare<[], TokenRow>('SELECT * FROM tokens WHERE revoked = 0 ORDER BY created_at, id')
  const ofUser = store
    .prepare<[string], 1>('SELECT 1 FROM tokens WHERE user_id = ? AND revoked = 0 LIMIT 1')
    .pluck()
  return {
    /** The tokens that are not revoked, oldest first. */
    all: () => all.all(),
    /**
     * The only user for whom a token is, even an expired or revoked one. Undefined: it is for all users, or does not
     * exist.
     */
    userOf: (id: string) => user.get(id) ?? undefined,
    /** Whether a token that is not revoked exists for this user alone. */
    hasOne: (userId: string) => ofUser.get(userId) !== undefined,
  }
}
