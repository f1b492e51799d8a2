// Environment sessions from the read models. What a principal may not see is not there for it.
import type { Projector } from '../../projections/projector.ts'
import type { ReadStore } from '../../projections/store.ts'
import { envSessionStream } from '../contract/env-session-events.ts'
import { Refusal } from '../contract/refusals.ts'
import type { Principal } from '../contract/token-events.ts'
import type { EnvSession } from '../contract/wire.ts'

export type SessionRow = {
  id: string
  user_id: string
  client_id: string
  env_id: string
  env_vars: string
  recovery: 'refold' | 'snapshot' | 'none'
  secret_ref: string | null
  is_active: 0 | 1
  created_at: number
  accessed_at: number
  close_reason: string | null
  kind: string | null
}

const columns =
  'id, user_id, client_id, env_id, env_vars, recovery, secret_ref, is_active, created_at, accessed_at, close_reason, kind'
const seconds = (millis: number): number => Math.floor(millis / 1000)

const pageRows = 200
const pageChars = 256 * 1024
/** As many rows as a page holds. */
const upTo = <Row extends SessionRow>(rows: Iterable<Row>, most: number, mostChars: number): Row[] => {
  const page: Row[] = []
  let chars = 0
  for (const row of rows) {
    page.push(row)
    chars += row.env_vars.length
    if (page.length >= most || chars >= mostChars) break
  }
  return page
}

/** `accessedAt`: when it was looked at since, which no event tells. */
export const recordOf = (row: SessionRow, accessedAt = 0): EnvSession => ({
  session_id: row.id,
  user_id: row.user_id,
  client_id: row.client_id,
  env_id: row.env_id,
  env_vars: JSON.parse(row.env_vars),
  is_active: row.is_active === 1,
  created_at: seconds(row.created_at),
  last_accessed_at: seconds(Math.max(row.accessed_at, accessedAt)),
  ...(row.kind === null ? {} : { kind: row.kind }),
  ...(row.close_reason === null ? {} : { close_reason: row.close_reason }),
})

export const createSessionQueries = (
  store: ReadStore,
  {
    isCurrent,
    isCurrentFor,
    flush,
    reading,
  }: Pick<Projector, 'isCurrent' | 'isCurrentFor' | 'flush' | 'reading'>,
) => {
  const byId = store.prepare<[string], SessionRow>(
    `SELECT ${columns} FROM env_sessions WHERE id = ? AND deleted = 0`,
  )
  const userById = store.prepare<[string], { user_id: string }>(
    'SELECT user_id FROM env_sessions WHERE id = ?',
  )
  const pages = {
    all: store.prepare<[{ after: number }], SessionRow & { position: number }>(
      `SELECT ${columns}, position FROM env_sessions WHERE deleted = 0 AND position > :after ORDER BY position`,
    ),
    ofUser: store.prepare<[{ after: number; user: string }], SessionRow & { position: number }>(
      `SELECT ${columns}, position FROM env_sessions WHERE deleted = 0 AND user_id = :user AND position > :after
       ORDER BY position`,
    ),
  }
  const active = store.prepare<[], SessionRow>(
    `SELECT ${columns} FROM env_sessions WHERE is_active = 1 ORDER BY accessed_at`,
  )
  /** What it reads is written first. */
  const current = <T>(read: () => T): T => {
    flush()
    if (!isCurrent()) throw new Refusal('ReadModelsBehind')
    return reading(read)
  }
  /** The same for one session. */
  const currentOf = <T>(id: string, read: () => T): T => {
    const stream = envSessionStream(id)
    flush(stream)
    if (!isCurrentFor(stream)) throw new Refusal('ReadModelsBehind')
    return reading(read)
  }
  const rowById = (id: string): SessionRow | undefined => currentOf(id, () => byId.get(id))
  return {
    rowById,
    /** Whose a session is, or was before it was deleted. */
    userOf: (id: string): string | undefined => currentOf(id, () => userById.get(id)?.user_id),
    /** The row of a session that this principal may see. Throws SessionNotFound. */
    visible(principal: Principal, id: string): SessionRow {
      const row = rowById(id)
      if (row === undefined || (principal.userId !== undefined && principal.userId !== row.user_id)) {
        throw new Refusal('SessionNotFound')
      }
      return row
    },
    /** The sessions of a user, or all, in order of creation, page by page. */
    *pages(user: string | undefined): Generator<SessionRow[]> {
      for (let after = 0; ; ) {
        const page = current(() => {
          const rows =
            user === undefined ? pages.all.iterate({ after }) : pages.ofUser.iterate({ after, user })
          return upTo(rows, pageRows, pageChars)
        })
        if (page.length === 0) return
        after = page.at(-1)?.position ?? after
        yield page
      }
    },
    active: (): SessionRow[] => current(() => active.all()),
  }
}
export type SessionQueries = ReturnType<typeof createSessionQueries>
