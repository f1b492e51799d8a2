// The route of stream tickets, and the routes on which an admin creates, lists and revokes tokens. An admin whose token
// belongs to one user can manage only the tokens of that user.
import { otherUser, Refusal } from '../contract/refusals.ts'
import { RevisionConflict } from '../contract/stored.ts'
import type { Serving } from './doors.ts'
import type { App } from './request.ts'
import { route } from './route.ts'

const seconds = (millis: number | null | undefined) =>
  millis === null || millis === undefined ? null : Math.floor(millis / 1000)

export const tokenRoutes = (
  app: App,
  { principals, tickets }: Pick<Serving, 'principals' | 'tickets'>,
): void => {
  route(app, 'createStreamTicket', {
    /** The body of this request is optional. */
    async preValidation(request) {
      request.body ??= {}
    },
    handler: async ({ principal, body }) => tickets.issue(principal, body.for === 'socket'),
  })

  route(app, 'createToken', {
    async handler(request) {
      const { body, principal, envelopeId } = request
      const userId = body.user_id ?? principal.userId
      if (principal.userId !== undefined && userId !== principal.userId) {
        throw otherUser(principal.userId, userId ?? '')
      }
      const made = await principals.create(
        { role: body.role, name: body.name ?? undefined, userId, ttlSeconds: body.ttl ?? undefined },
        { principal: principal.id, causation: envelopeId },
      )
      const { id, token, expires_at } = made
      return {
        id,
        token,
        role: body.role,
        name: body.name ?? null,
        user_id: userId ?? null,
        expires_at: seconds(expires_at),
      }
    },
  })

  route(app, 'listTokens', {
    async handler({ principal }) {
      const mine = principals
        .list()
        .filter(row => principal.userId === undefined || row.user_id === principal.userId)
      return {
        uses_since: seconds(principals.usesSince),
        tokens: mine.map(({ id, role, name, user_id, created_at, expires_at }) => ({
          id,
          role,
          name,
          user_id,
          created_at: seconds(created_at),
          expires_at: seconds(expires_at),
          last_used_at: seconds(principals.lastUse(id)),
        })),
      }
    },
  })

  route(app, 'revokeToken', {
    async handler({ principal, params, envelopeId }) {
      const row = principals.find(params.token_id)
      if (row === undefined || (principal.userId !== undefined && row.user_id !== principal.userId)) {
        throw new Refusal('TokenNotFound')
      }
      await principals.revoke(row, { principal: principal.id, causation: envelopeId }).catch(error => {
        // Another request revoked the token at the same time.
        throw error instanceof RevisionConflict ? new Refusal('TokenNotFound') : error
      })
      return { status: 'revoked', id: row.id }
    },
  })
}
