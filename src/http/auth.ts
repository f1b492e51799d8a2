// Who asks, and what each role may ask. Every route names its access; there is no route without one.
import type { FastifyRequest } from 'fastify'
import { Refusal } from '../contract/refusals.ts'
import type { Principal, Role } from '../contract/token-events.ts'

/** `open`: no token; `follow`: streams; `read`: every other GET; `write`: changes; `manage`: tokens. */
export type Access = 'open' | 'follow' | 'read' | 'write' | 'manage'

const allowed: Record<Exclude<Access, 'open'>, readonly Role[]> = {
  follow: ['admin', 'user', 'auditor', 'subscriber'],
  read: ['admin', 'user', 'auditor'],
  write: ['admin', 'user'],
  manage: ['admin'],
}

const bearer = /^bearer +([^\s]+) *$/i

/** Whether a role may do what needs this access. */
export const may = (role: Role, access: Exclude<Access, 'open'>): boolean => allowed[access].includes(role)

/** What of a request says who asks. */
export type Asking = Pick<FastifyRequest, 'headers' | 'query' | 'method'>

/** The ticket that stands for a token where a browser opens a stream. */
export const ticketOf = ({ headers, query, method }: Asking): string | undefined => {
  const { ticket } = query as { ticket?: unknown }
  return headers.authorization === undefined && method === 'GET' && typeof ticket === 'string'
    ? ticket
    : undefined
}

/** For whoever set this server up, or works beside it. */
const whereTokens =
  'the admin token is ADMIN_TOKEN, or in the file admin-token of DATA_DIR; `reprise token create` makes others'
const noToken = `a bearer token is required: send the header "Authorization: Bearer TOKEN"; ${whereTokens}`
const badToken = `this token is not known, or no longer valid; ${whereTokens}`
const badTicket = 'this ticket is not known, or no longer valid: POST /v1/auth/stream-ticket gives another'

/** A role that may not do what needs this access. */
export const roleRefused = (role: Role, access: Exclude<Access, 'open'>): Refusal => {
  const needs = allowed[access]
  const words = `a token of the role ${role} does not allow this: it needs the role ${needs.join(' or ')}`
  return new Refusal('Forbidden', { role, needs }, words)
}

/** Who tokens and tickets stand for; undefined: nobody, or nobody any more. */
export type Doors = {
  principals: { authenticate(token: string): Principal | undefined }
  tickets: { redeem(ticket: string): Principal | undefined }
}

/** The principal of a request; throws Unauthenticated or Forbidden. */
export const authorize = (
  request: Asking,
  access: Exclude<Access, 'open'>,
  { principals, tickets }: Doors,
): Principal => {
  const token = bearer.exec(request.headers.authorization ?? '')?.[1]
  const ticket = access === 'follow' ? ticketOf(request) : undefined
  const principal = ticket === undefined ? token && principals.authenticate(token) : tickets.redeem(ticket)
  if (!principal) {
    const words = ticket !== undefined ? badTicket : token === undefined ? noToken : badToken
    throw new Refusal('Unauthenticated', undefined, words)
  }
  if (!may(principal.role, access)) throw roleRefused(principal.role, access)
  return principal
}
