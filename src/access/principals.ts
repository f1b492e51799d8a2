// Access tokens and their principals. The log stores the hash of each token but the admin's, in a stream of its own. A
// token that the server makes has 256 random bits, so a plain SHA-256 protects it well enough.

import { hash, timingSafeEqual } from 'node:crypto'
import type { PrincipalCommand, PrincipalView } from '../../actors/principal/actor.ts'
import type { Runtime } from '../../actors/runtime/runtime.ts'
import {
  type Principal,
  principalStream,
  type Role,
  type TokenCreated,
} from '../contract/events/token-events.ts'
import type { World } from '../contract/ports.ts'
import type { EventLog } from '../log/log.ts'
import type { By } from '../log/record.ts'
import type { Queries, TokenRow } from '../tasks/queries.ts'
import { createTokenTable } from './token-table.ts'

export type Principals = {
  /** The principal of a token; undefined when the token is unknown, revoked or expired. */
  authenticate(token: string): Principal | undefined
  /** The principal of the token with this id; undefined when the token is unknown, revoked or expired. */
  current(id: string): Principal | undefined
  /**
   * A text that is different for two tokens that have the same id. The admin's token always has the same id, but may be
   * another token after the next start.
   */
  markOf(id: string): string
  create(
    fields: {
      role: Role
      name?: string | undefined
      userId?: string | undefined
      ttlSeconds?: number | undefined
    },
    by: By,
  ): Promise<{ id: string; token: string; expires_at: number | undefined }>
  list(): TokenRow[]
  /** When a token was last used; undefined: not since `usesSince`. In milliseconds. */
  lastUse(id: string): number | undefined
  /** Since when uses of tokens are noted: the start of the server. In milliseconds. */
  usesSince: number
  /** Finds a token by its id, or by the token itself. */
  find(idOrToken: string): TokenRow | undefined
  revoke(row: TokenRow, by: By): Promise<void>
}

/** The hash of a token or of a ticket. The log and the secrets file contain only this hash. */
export const hashOf = (token: string): string => hash('sha256', token, 'base64url')

const admin: Principal = { id: 'admin', role: 'admin', userId: undefined, expiresAt: undefined }

/** The actors of principals. Its `ask` resolves when the change is stored. */
export type PrincipalActors = Pick<Runtime<PrincipalView, PrincipalCommand>, 'ask'>

/**
 * Stores an event AdminTokenMade. Call this before the token is written to its file, so that every admin token has an
 * event.
 */
export const recordAdminToken = async ({ ask }: PrincipalActors, file: string): Promise<void> => {
  const by = { principal: 'system', causation: 'start' }
  await ask(principalStream(admin.id), { type: 'MakeAdminToken', data: { file }, ...by })
}

const principalOf = (row: TokenRow | undefined, now: number): Principal | undefined =>
  row === undefined || (row.expires_at !== null && row.expires_at <= now)
    ? undefined
    : {
        id: row.id,
        role: row.role,
        userId: row.user_id ?? undefined,
        expiresAt: row.expires_at ?? undefined,
      }

export const createPrincipals = (
  { actors, log, queries, world }: { actors: PrincipalActors; log: EventLog; queries: Queries; world: World },
  adminToken: string | undefined,
): Principals => {
  const tokens = createTokenTable()
  const fill = () => tokens.fill(queries.tokens())
  fill()
  log.onCommit(tokens.take)
  // A write may have failed although the file has its events. The read models have them by now.
  log.onReopened(async () => fill())
  const usesSince = world.clock.now()
  /** The principal of a token that is used now. */
  const used = (row: TokenRow | undefined): Principal | undefined => {
    const time = world.clock.now()
    const principal = principalOf(row, time)
    if (row !== undefined && principal !== undefined) tokens.noteUse(row, time)
    return principal
  }
  const adminHash = adminToken === undefined ? undefined : Buffer.from(hashOf(adminToken))

  return {
    authenticate(token) {
      const hashed = hashOf(token)
      if (adminHash !== undefined && timingSafeEqual(Buffer.from(hashed), adminHash)) return admin
      return used(tokens.byHash(hashed))
    },
    async create({ role, name, userId, ttlSeconds }, by) {
      const id = world.ids.next('tok_')
      const token = `rp_${world.random.text(32)}`
      const expires = ttlSeconds === undefined ? undefined : world.clock.now() + ttlSeconds * 1000
      const data: TokenCreated = {
        token_id: id,
        hash: hashOf(token),
        role,
        ...(name === undefined ? {} : { name }),
        ...(userId === undefined ? {} : { user_id: userId }),
        ...(expires === undefined ? {} : { expires_at: expires }),
      }
      await actors.ask(principalStream(id), { type: 'CreateToken', data, ...by }, true)
      return { id, token, expires_at: expires }
    },
    current(id) {
      if (id === admin.id) return adminHash === undefined ? undefined : admin
      return used(tokens.byId(id))
    },
    // A part of the hash is enough to distinguish tokens, and does not help anybody to guess one.
    markOf: id => (id === admin.id ? (adminHash?.toString().slice(0, 8) ?? '') : id),
    list: tokens.list,
    lastUse: tokens.usedAt,
    usesSince,
    find: idOrToken => tokens.byId(idOrToken) ?? tokens.byHash(hashOf(idOrToken)),
    async revoke(row, by) {
      await actors.ask(principalStream(row.id), { type: 'RevokeToken', data: { token_id: row.id }, ...by })
    },
  }
}
