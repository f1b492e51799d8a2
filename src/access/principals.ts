// Who may come in: tokens, stored as hashes in streams of their own. A token is 256 random bits, so a plain
// SHA-256 of it is enough.

import { hash, timingSafeEqual } from 'node:crypto'
import { principalEvents } from '../contract/decoders/principal.ts'
import type { World } from '../contract/ports.ts'
import type { NewEvent } from '../contract/stored.ts'
import {
  type AdminTokenMade,
  type Principal,
  principalStream,
  type Role,
  type TokenCreated,
  type TokenRevoked,
} from '../contract/token-events.ts'
import type { EventLog } from '../log/log.ts'
import type { Queries, TokenRow } from '../tasks/queries.ts'

export type Principals = {
  /** The principal of a token, undefined when it is unknown, revoked or expired. */
  authenticate(token: string): Principal | undefined
  /** The same by the token's id. */
  current(id: string): Principal | undefined
  /** What tells a token from others of its id: there may be another admin token after the next start. */
  markOf(id: string): string
  create(
    wish: { role: Role; userId?: string | undefined; ttlSeconds?: number | undefined },
    by: { principal: string; causation: string },
  ): Promise<{ id: string; token: string; expires_at: number | undefined }>
  list(): TokenRow[]
  /** By id or by the token itself. */
  find(idOrToken: string): TokenRow | undefined
  revoke(row: TokenRow, by: { principal: string; causation: string }): Promise<void>
}

/** What is kept of a token. */
export const hashOf = (token: string): string => hash('sha256', token, 'base64url')

/** To be stored before the admin token is made. */
export const tellAdminToken = async (log: EventLog, file: string): Promise<void> => {
  const stream = principalStream('admin')
  const data: AdminTokenMade = { file }
  await log.append([
    {
      stream,
      expectedRevision: log.revisionOf(stream),
      owner: '',
      session_id: '',
      correlation_id: 'admin',
      principal: 'system',
      causation_id: 'start',
      events: [{ type: 'AdminTokenMade', schema_version: 1, data }],
    },
  ])
}

export const createPrincipals = (
  { log, queries, world }: { log: EventLog; queries: Queries; world: World },
  adminToken: string | undefined,
): Principals => {
  /** Every valid token by its hash: filled from the read model once, then from the log. */
  const known = new Map(queries.tokens().map(row => [row.hash, row]))
  const byId = new Map([...known.values()].map(row => [row.id, row]))
  const rows = () => [...known.values()]
  log.onCommit(events => {
    for (const stored of events) {
      const event = principalEvents.find(stored)
      if (event?.type === 'TokenCreated') {
        const { token_id, hash, role, user_id, expires_at } = event.data
        const created_at = Date.parse(event.header.time)
        const row = {
          id: token_id,
          hash,
          role,
          user_id: user_id ?? null,
          created_at,
          expires_at: expires_at ?? null,
        }
        known.set(hash, row)
        byId.set(row.id, row)
      }
      if (event?.type === 'TokenRevoked') {
        const { token_id } = event.data
        known.delete(byId.get(token_id)?.hash ?? '')
        byId.delete(token_id)
      }
    }
  })
  const adminHash = adminToken === undefined ? undefined : Buffer.from(hashOf(adminToken))
  const admin: Principal = { id: 'admin', role: 'admin', userId: undefined, expiresAt: undefined }

  const store = (
    id: string,
    expectedRevision: number,
    event: NewEvent,
    owner: string,
    by: { principal: string; causation: string },
  ) =>
    log.append([
      {
        stream: principalStream(id),
        expectedRevision,
        owner,
        session_id: '',
        correlation_id: id,
        principal: by.principal,
        causation_id: by.causation,
        events: [event],
      },
    ])

  const principalOf = (row: TokenRow | undefined): Principal | undefined =>
    row === undefined || (row.expires_at !== null && row.expires_at <= world.clock.now())
      ? undefined
      : {
          id: row.id,
          role: row.role,
          userId: row.user_id ?? undefined,
          expiresAt: row.expires_at ?? undefined,
        }

  return {
    authenticate(token) {
      const hashed = hashOf(token)
      if (adminHash !== undefined && timingSafeEqual(Buffer.from(hashed), adminHash)) return admin
      return principalOf(known.get(hashed))
    },
    async create({ role, userId, ttlSeconds }, by) {
      const id = world.ids.next('tok_')
      const token = `rp_${world.random.text(32)}`
      const expires = ttlSeconds === undefined ? undefined : world.clock.now() + ttlSeconds * 1000
      const data: TokenCreated = {
        token_id: id,
        hash: hashOf(token),
        role,
        ...(userId === undefined ? {} : { user_id: userId }),
        ...(expires === undefined ? {} : { expires_at: expires }),
      }
      await store(id, -1, { type: 'TokenCreated', schema_version: 1, data }, userId ?? '', by)
      return { id, token, expires_at: expires }
    },
    current(id) {
      if (id === admin.id) return adminHash === undefined ? undefined : admin
      return principalOf(byId.get(id))
    },
    // A part of the hash tells tokens apart, and is nothing to guess a token by.
    markOf: id => (id === admin.id ? (adminHash?.toString().slice(0, 8) ?? '') : id),
    list: rows,
    find: idOrToken => byId.get(idOrToken) ?? known.get(hashOf(idOrToken)),
    async revoke(row, by) {
      const data: TokenRevoked = { token_id: row.id }
      await store(row.id, 0, { type: 'TokenRevoked', schema_version: 1, data }, row.user_id ?? '', by)
    },
  }
}
