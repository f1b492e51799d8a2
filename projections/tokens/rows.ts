// Reads the rows of tokens: which tokens are accepted, and for which user.
import type { Role } from '../../src/contract/events/token-events.ts'
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

export type MakerRow = Pick<TokenRow, 'id' | 'user_id' | 'expires_at'>

export const createTokenRows = (store: ReadStore) => {
  const user = store.prepare<[string], string | null>('SELECT user_id FROM tokens WHERE id = ?').pluck()
  const all = store.prepare<[], TokenRow>('SELECT * FROM tokens WHERE revoked = 0 ORDER BY created_at, id')
  const makers = store.prepare<[], MakerRow>(
    'SELECT id, user_id, expires_at FROM tokens WHERE revoked = 0 OR user_id IS NULL',
  )
  const ofUser = store
    .prepare<[string], 1>('SELECT 1 FROM tokens WHERE user_id = ? AND revoked = 0 LIMIT 1')
    .pluck()
  return {
    /** The tokens that are not revoked, oldest first. */
    all: () => all.all(),
    /** The tokens that are not revoked, and all tokens without a user. */
    makers: () => makers.all(),
    /**
     * The only user for whom a token is, even an expired or revoked one. Undefined: it is for all users, or does not
     * exist.
     */
    userOf: (id: string) => user.get(id) ?? undefined,
    /** Whether a token that is not revoked exists for this user alone. */
    hasOne: (userId: string) => ofUser.get(userId) !== undefined,
  }
}
