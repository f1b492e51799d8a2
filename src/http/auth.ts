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

/** The principal of a request; throws Unauthenticated or Forbidden. */
export const authorize = (
  request: FastifyRequest,
  access: Exclude<Access, 'open'>,
  authenticate: (token: string) => Principal | undefined,
): Principal => {
  const token = bearer.exec(request.headers.authorization ?? '')?.[1]
  const principal = token === undefined ? undefined : authenticate(token)
  if (principal === undefined) throw new Refusal('Unauthenticated')
  if (!allowed[access].includes(principal.role)) throw new Refusal('Forbidden', { role: principal.role })
  return principal
}
