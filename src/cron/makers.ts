// Whether the makers of jobs still have tokens. A job stops when the last token of its user is revoked.
import type { Queries } from '../tasks/queries.ts'

export const createMakers = (queries: Pick<Queries, 'hasToken' | 'tokens'>) => ({
  /** A maker that acts for all users is one token: the admin's, which is never revoked, or one of the table. */
  isGone(tokenId: string, userId: string | null): boolean {
    if (userId !== null) return !queries.hasToken(userId)
    return tokenId !== 'admin' && !queries.tokens().some(({ id }) => id === tokenId)
  },
})
export type Makers = ReturnType<typeof createMakers>
