// Finds the principal of a request by its token or ticket, and checks whether the role may make this request.
import type { FastifyRequest } from 'fastify'
import { may, roleRefused, type TokenAccess } from '../../access/roles.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { Refusal } from '../../contract/refusals.ts'

const bearer = /^bearer +([^\s]+) *$/i

/** The parts of a request that can hold credentials. */
export type Asking = Pick<FastifyRequest, 'headers' | 'query' | 'method'>

/** The ticket with which a browser opens a stream in place of a token; undefined: none, or there is a token. */
export const ticketOf = ({ headers, query, method }: Asking): string | undefined => {
  const { ticket } = query as { ticket?: unknown }
  return headers.authorization === undefined && method === 'GET' && typeof ticket === 'string'
    ? ticket
    : undefined
}

/** Tells the operator where to find tokens. */
const whereTokens =
  'Send the header `Authorization: Bearer TOKEN`. The admin token is the value of ADMIN_TOKEN, or is in the file admin-token of DATA_DIR; `reprise token create` makes further tokens.'
const noToken = ['a bearer token is required', whereTokens] as const
const badToken = ['this token is unknown or no longer valid', whereTokens] as const
const badTicket = [
  'this ticket is unknown or no longer valid',
  'Request a new one with `POST /v1/auth/stream-ticket`.',
] as const

/**
 * The functions that find the principal of a token or a ticket. They return undefined if the token or ticket is unknown
 * or no longer valid.
 */
export type Doors = {
  principals: { authenticate(token: string): Principal | undefined }
  tickets: { redeem(ticket: string): Principal | undefined }
}

/** The principal of a request; throws Unauthenticated or Forbidden. */
export const authorize = (
  request: Asking,
  access: TokenAccess,
  { principals, tickets }: Doors,
): Principal => {
  const token = bearer.exec(request.headers.authorization ?? '')?.[1]
  const ticket = access === 'follow' ? ticketOf(request) : undefined
  const principal = ticket === undefined ? token && principals.authenticate(token) : tickets.redeem(ticket)
  if (!principal) {
    const [words, hint] = ticket !== undefined ? badTicket : token === undefined ? noToken : badToken
    throw new Refusal('Unauthenticated', undefined, words, { hint })
  }
  if (!may(principal.role, access)) throw roleRefused(principal.role, access)
  return principal
}
