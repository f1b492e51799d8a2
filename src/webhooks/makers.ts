// Finds out whether the maker of a webhook still has access. A webhook acts as its maker: it stops when the last token
// of its user is revoked or has expired, and continues when the user gets a new token.
import { createTokenTable } from '../access/token-table.ts'
import { principalEvents } from '../contract/decoders/principal.ts'
import type { Clock } from '../contract/ports.ts'
import type { Recorded } from '../contract/stored.ts'
import type { Webhook } from '../history/webhook.ts'
import type { TokenRow } from '../tasks/queries.ts'

/** Principals that are not tokens in the log: the admin token of the operator, and the server itself. */
const always = new Set(['admin', 'system'])

export const createMakers = (rows: readonly TokenRow[], clock: Clock) => {
  const tokens = createTokenTable()
  const ofUsers = new Map<string, Map<string, number>>()
  const add = ({ id, user_id, expires_at }: TokenRow): void => {
    if (user_id === null) return
    const own = ofUsers.get(user_id) ?? new Map<string, number>()
    ofUsers.set(user_id, own.set(id, expires_at ?? Number.POSITIVE_INFINITY))
  }
  const fill = (all: readonly TokenRow[]): void => {
    tokens.fill(all)
    ofUsers.clear()
    for (const row of all) add(row)
  }
  fill(rows)
  const isValid = (until: number | undefined): boolean => until !== undefined && until > clock.now()

  return {
    /** Replaces all tokens. */
    fill,
    /** Applies the events that were just committed. Returns whether they made or revoked a token. */
    take(events: readonly Recorded[]): boolean {
      tokens.take(events)
      let isNews = false
      for (const stored of events) {
        const event = principalEvents.find(stored)
        if (event === undefined) continue
        isNews = true
        if (event.type === 'TokenRevoked') for (const own of ofUsers.values()) own.delete(event.data.token_id)
        if (event.type !== 'TokenCreated') continue
        const row = tokens.byId(event.data.token_id)
        if (row !== undefined) add(row)
      }
      return isNews
    },
    hasAccess({ userId, maker }: Pick<Webhook, 'userId' | 'maker'>): boolean {
      if (always.has(maker)) return true
      const own = tokens.byId(maker)
      if (own !== undefined && isValid(own.expires_at ?? Number.POSITIVE_INFINITY)) return true
      return userId !== null && [...(ofUsers.get(userId)?.values() ?? [])].some(isValid)
    },
  }
}
export type Makers = ReturnType<typeof createMakers>
