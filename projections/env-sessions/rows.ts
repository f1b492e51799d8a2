// Reads rows of environment sessions: one by its id, the active ones, or a page in order of creation.
import type { ReadStore } from '../store.ts'
import { erasedMark } from './schema.ts'

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
  kind: string
}

/** The position of the event that created a session, and the user of the session. */
export type Place = { position: number; user_id: string }

const columns =
  'id, user_id, client_id, env_id, env_vars, recovery, secret_ref, is_active, created_at, accessed_at, close_reason, kind'

/** The largest number of rows on one page. */
const pageRows = 200
/** A page ends after the row with which the environment variables on the page reach this many characters. */
const pageChars = 256 * 1024
/** The first rows, up to the limits of one page. */
const upTo = <Row extends SessionRow>(rows: Iterable<Row>, max: number, maxCharacters: number): Row[] => {
  const page: Row[] = []
  let chars = 0
  for (const row of rows) {
    page.push(row)
    chars += row.env_vars.length
    if (page.length >= max || chars >= maxCharacters) break
  }
  return page
}

export const createEnvSessionRows = (store: ReadStore) => {
  const byId = store.prepare<[string], SessionRow>(
    `SELECT ${columns} FROM env_sessions WHERE id = ? AND deleted = 0`,
  )
  const userById = store.prepare<[string], { user_id: string }>(
    'SELECT user_id FROM env_sessions WHERE id = ?',
  )
  const idsOf = store
    .prepare<[string], string>(`SELECT id FROM env_sessions WHERE user_id = ? AND deleted <> ${erasedMark}`)
    .pluck()
  const erased = store
    .prepare<[string], 1>(`SELECT 1 FROM env_sessions WHERE id = ? AND deleted = ${erasedMark}`)
    .pluck()
  const after = {
    all: store.prepare<[{ after: number }], SessionRow & { position: number }>(
      `SELECT ${columns}, position FROM env_sessions WHERE deleted = 0 AND position > :after ORDER BY position`,
    ),
    ofUser: store.prepare<[{ after: number; user: string }], SessionRow & { position: number }>(
      `SELECT ${columns}, position FROM env_sessions WHERE deleted = 0 AND user_id = :user AND position > :after
       ORDER BY position`,
    ),
  }
  const before = {
    all: store.prepare<[{ before: number }], SessionRow & { position: number }>(
      `SELECT ${columns}, position FROM env_sessions WHERE deleted = 0 AND position < :before
       ORDER BY position DESC`,
    ),
    ofUser: store.prepare<[{ before: number; user: string }], SessionRow & { position: number }>(
      `SELECT ${columns}, position FROM env_sessions WHERE deleted = 0 AND user_id = :user AND position < :before
       ORDER BY position DESC`,
    ),
  }
  const placeOf = store.prepare<[string], Place>(
    `SELECT position, user_id FROM env_sessions WHERE id = ? AND deleted <> ${erasedMark}`,
  )
  const active = store.prepare<[], SessionRow>(
    `SELECT ${columns} FROM env_sessions WHERE is_active = 1 ORDER BY accessed_at`,
  )
  return {
    byId: (id: string) => byId.get(id),
    /** The user of a session, also of a deleted one. */
    userOf: (id: string) => userById.get(id)?.user_id,
    /** Whether a session of this id was erased. */
    isErased: (id: string): boolean => erased.get(id) === 1,
    /** The sessions of a user, also closed and deleted ones. */
    idsOf: (user: string): string[] => idsOf.all(user),
    active: () => active.all(),
    /** One page of the sessions that were created after this position: those of a user, or of all users. */
    page(position: number, user: string | undefined) {
      const rows =
        user === undefined
          ? after.all.iterate({ after: position })
          : after.ofUser.iterate({ after: position, user })
      return upTo(rows, pageRows, pageChars)
    },
    /** One page of the sessions that were created before this position, newest first. */
    pageBefore(position: number, user: string | undefined) {
      const rows =
        user === undefined
          ? before.all.iterate({ before: position })
          : before.ofUser.iterate({ before: position, user })
      return upTo(rows, pageRows, pageChars)
    },
    /** The place of a session, also of a deleted one. */
    placeOf: (id: string): Place | undefined => placeOf.get(id),
  }
}
