// The route of stream tickets, and the routes on which an admin creates, lists and revokes tokens. An admin whose token
// belongs to one user can manage only the tokens of that user.
import { otherUser, Refusal } from '../../contract/refusals.ts'
import { listByName, rowsAfter } from '../answer/listing.ts'
import type { Serving } from '../doors.ts'
import { readQuery } from '../request/query.ts'
import type { App } from '../request/request.ts'
import { route } from '../route.ts'

const seconds = (millis: number | null | undefined) =>
  millis === null || millis === undefined ? null : Math.floor(millis / 1000)

const list = listByName('listTokens')
/** The ids of tokens grow with time. */
const idOf = ({ id }: { id: string }): string => id

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
    async handler({ principal, query }) {
      const q = readQuery(query)
      const asked = list.asked(q)
      q.done()
      const mine = principals
        .list()
        .filter(row => principal.userId === undefined || row.user_id === principal.userId)
      const page = list.answer(rowsAfter(mine, asked, idOf), asked, idOf, row => {
        const { id, role, name, user_id, created_at, expires_at } = row
        return {
          id,
          role,
          name,
          user_id,
          created_at: seconds(created_at),
          expires_at: seconds(expires_at),
          last_used_at: seconds(principals.lastUse(id)),
        }
      })
      return { ...page, uses_since: seconds(principals.usesSince) }
    },
  })

  route(app, 'revokeToken', {
    async handler({ principal, params, envelopeId }) {
      const row = principals.find(params.token_id)
      if (row === undefined || (principal.userId !== undefined && row.user_id !== principal.userId)) {
        throw new Refusal('TokenNotFound')
      }
      await principals.revoke(row, { principal: principal.id, causation: envelopeId })
      return { status: 'revoked', id: row.id, message: `token ${row.id} is revoked` }
    },
  })
}
