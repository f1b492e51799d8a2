// The query service of environment sessions. A principal gets the same answer for a session that it may not see as for
// one that does not exist.
import { createCurrent, type Reading } from '../../projections/current.ts'
import { createEnvSessionRows, type SessionRow } from '../../projections/env-sessions/rows.ts'
import type { ReadStore } from '../../projections/store.ts'
import { envSessionStream } from '../contract/env-session-events.ts'
import { Refusal } from '../contract/refusals.ts'
import type { Principal } from '../contract/token-events.ts'
import type { EnvSession } from '../contract/wire.ts'

export type { SessionRow } from '../../projections/env-sessions/rows.ts'

const seconds = (millis: number): number => Math.floor(millis / 1000)

/** `accessedAt` is the time of a later observation, which no event stores. */
export const recordOf = (row: SessionRow, accessedAt = 0): EnvSession => ({
  session_id: row.id,
  user_id: row.user_id,
  client_id: row.client_id,
  env_id: row.env_id,
  env_vars: JSON.parse(row.env_vars),
  is_active: row.is_active === 1,
  created_at: seconds(row.created_at),
  last_accessed_at: seconds(Math.max(row.accessed_at, accessedAt)),
  kind: row.kind,
  ...(row.close_reason === null ? {} : { close_reason: row.close_reason }),
})

export const createSessionQueries = (store: ReadStore, projector: Reading) => {
  const { current, currentFor } = createCurrent(projector)
  const rows = createEnvSessionRows(store)
  const rowById = (id: string): SessionRow | undefined =>
    currentFor(envSessionStream(id), () => rows.byId(id))
  const isShownTo = ({ userId }: Principal, row: SessionRow | undefined): row is SessionRow =>
    row !== undefined && (userId === undefined || userId === row.user_id)
  return {
    rowById,
    /** The user of a session, also of a deleted one. */
    userOf: (id: string): string | undefined => currentFor(envSessionStream(id), () => rows.userOf(id)),
    /** Whether a session of this id was erased. */
    isErased: (id: string): boolean => currentFor(envSessionStream(id), () => rows.isErased(id)),
    /** The row of a session that this principal may see. Throws SessionNotFound. */
    visible(principal: Principal, id: string): SessionRow {
      const row = rowById(id)
      if (!isShownTo(principal, row)) throw new Refusal('SessionNotFound')
      return row
    },
    /** Whether this principal may see the session of a row that may be old. False: there may be a newer row. */
    wasVisible: (principal: Principal, id: string): boolean =>
      isShownTo(
        principal,
        projector.reading(() => rows.byId(id)),
      ),
    /** The sessions of one user, or of all, in order of creation, page by page. */
    *pages(user: string | undefined): Generator<SessionRow[]> {
      for (let after = 0; ; ) {
        const page = current(() => rows.page(after, user))
        if (page.length === 0) return
        after = page.at(-1)?.position ?? after
        yield page
      }
    },
    /** The ids of all sessions of a user, also of closed and deleted ones. */
    idsOf: (user: string): string[] => current(() => rows.idsOf(user)),
    active: (): SessionRow[] => current(rows.active),
  }
}
export type SessionQueries = ReturnType<typeof createSessionQueries>
