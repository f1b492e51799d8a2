// The table of roles: what a token with each role may do. Routes check it, and the documents show it.

import type { Role } from '../contract/events/token-events.ts'
import { Refusal } from '../contract/refusals.ts'

/**
 * The access that an operation needs. `follow`: streams; `read`: other reading; `audit`: reading what concerns all
 * users; `write`: changes; `remove`: deleting, or erasing when that is asked; `erase`: erasing; `manage`: tokens, keys,
 * holds and workers; `work`: connecting as a worker.
 */
export type Access = 'open' | TokenAccess
/** The kinds of access that need a token. */
export type TokenAccess = 'follow' | 'read' | 'audit' | 'write' | 'remove' | 'erase' | 'manage' | 'work'

/** The roles that have each kind of access. An open operation needs no token, so it needs no role. */
export const rolesOf: Record<Access, readonly Role[]> = {
  open: [],
  follow: ['admin', 'user', 'auditor', 'subscriber'],
  read: ['admin', 'user', 'auditor'],
  audit: ['admin', 'auditor'],
  write: ['admin', 'user'],
  remove: ['admin', 'user', 'eraser'],
  erase: ['admin', 'eraser'],
  manage: ['admin'],
  work: ['worker'],
}

/** Whether a role has this access. */
export const may = (role: Role, access: TokenAccess): boolean => rolesOf[access].includes(role)

/** The refusal for a role without this access. */
export const roleRefused = (role: Role, access: TokenAccess): Refusal => {
  const needs = rolesOf[access]
  const words = `a token with the role ${role} does not allow this`
  const hint = `Use a token with the role ${needs.join(' or ')}.`
  return new Refusal('Forbidden', { role, needs }, words, { hint })
}
