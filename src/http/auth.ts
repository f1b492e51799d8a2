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
  if (!principal) throw new Refusal('Unauthenticated')
  if (!may(principal.role, access)) throw new Refusal('Forbidden', { role: principal.role })
  return principal
}
