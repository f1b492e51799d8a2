// The routes by which people sign in to the console with a one-time link, and learn what their token may do.
import type { Serving } from '../doors.ts'
import type { App } from '../request/request.ts'
import { route } from '../route.ts'

const seconds = (millis: number | undefined) => (millis === undefined ? null : Math.floor(millis / 1000))

/** The most bytes of a body; a ticket has 46 characters. */
const longestBody = 1024

export const loginRoutes = (app: App, { logins }: Pick<Serving, 'logins'>): void => {
  route(app, 'createLoginTicket', { handler: async ({ principal }) => logins.issue(principal) })

  route(app, 'login', {
    bodyLimit: longestBody,
    async handler({ body, envelopeId }) {
      const { id, token, role, name, userId, expires_at } = await logins.login(body.ticket, envelopeId)
      return { id, token, role, name, user_id: userId ?? null, expires_at: seconds(expires_at) }
    },
  })

  route(app, 'getOwnToken', {
    handler: async ({ principal: { id, role, userId, expiresAt } }) => ({
      id,
      role,
      user_id: userId ?? null,
      expires_at: seconds(expiresAt),
    }),
  })
}
