// The query service of environment sessions. A principal gets the same answer for a session that it may not see as for
// one that does not exist.
import { createCurrent, type Reading } from '../../projections/current.ts'
import { createEnvSessionRows, type SessionRow } from '../../projections/env-sessions/rows.ts'
import type { ReadStore } from '../../projections/store.ts'
import { envSessionStream } from '../contract/events/env-session-events.ts'
import type { Principal } from '../contract/events/token-events.ts'
import { Refusal } from '../contract/refusals.ts'
import type { EnvSession } from '../contract/wire.ts'
import type { Pause } from '../fairness/slices.ts'

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

export type NewestQuery = {
  user: string | undefined
  limit: number
  startingAfter: string | undefined
  /** A part of the id, of the name or kind of the environment, or of the user. Upper and lower case do not matter. */
  search: string | undefined
  isActive: boolean
}
const end = Number.MAX_SAFE_INTEGER
const fits = (row: SessionRow, search: string | undefined, isActive: boolean): boolean => {
  if (isActive && row.is_active === 0) return false
  const text = search?.toLowerCase()
  const { id, env_id, kind, user_id } = row
  return text === undefined || [id, env_id, kind, user_id].some(each => each.toLowerCase().includes(text))
}

export const createSessionQueries = (store: ReadStore, projector: Reading) => {
  const { current, currentFor } = createCurrent(projector)
  const rows = createEnvSessionRows(store)
  const rowById = (id: string): SessionRow | undefined =>
    currentFor(envSessionStream(id), () => rows.byId(id))
  const isShownTo = <Row extends { user_id: string }>(
    { userId }: Principal,
    row: Row | undefined,
  ): row is Row => row !== undefined && (userId === undefined || userId === row.user_id)
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
    /**
     * The newest sessions that fit, newest first, and whether more of them follow. Rows are looked at page by page, with a
     * pause in between. Undefined: there is no session `startingAfter` that this principal may see, or might have seen
     * before it was deleted.
     */
    async newest(
      principal: Principal,
      { user, limit, startingAfter, search, isActive }: NewestQuery,
      pause: Pause,
    ): Promise<{ found: SessionRow[]; more: boolean } | undefined> {
      const cursor = startingAfter === undefined ? undefined : current(() => rows.placeOf(startingAfter))
      if (startingAfter !== undefined && !isShownTo(principal, cursor)) return undefined
      const found: SessionRow[] = []
      for (let before = cursor?.position ?? end; ; ) {
        const page = current(() => rows.pageBefore(before, user))
        for (const row of page) if (fits(row, search, isActive)) found.push(row)
        before = page.at(-1)?.position ?? before
        if (page.length === 0 || found.length > limit)
          return { found: found.slice(0, limit), more: found.length > limit }
        await pause()
      }
    },
    /** The ids of all sessions of a user, also of closed and deleted ones. */
    idsOf: (user: string): string[] => current(() => rows.idsOf(user)),
    active: (): SessionRow[] => current(rows.active),
  }
}
export type SessionQueries = ReturnType<typeof createSessionQueries>
