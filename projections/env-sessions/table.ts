// Writes the sessions read model: one row for each environment session.
import { type RecordedSessionEvent, sessionEvents } from '../../src/contract/decoders/env-session.ts'
import { isEnvSessionStream, sessionIdOf } from '../../src/contract/events/env-session-events.ts'
import { createErasedStreams } from '../erased.ts'
import type { Eraser } from '../erasing/table.ts'
import type { Projection } from '../folding.ts'
import type { ReadStore } from '../store.ts'
import { erasedMark } from './schema.ts'

/** Writes a row without content in place of an erased session, so that no new session gets the same id. */
const blankWriter = (store: ReadStore) => {
  const blank = store.prepare(
    `INSERT OR REPLACE INTO env_sessions (id, position, user_id, client_id, env_id, env_vars, recovery, is_active,
       deleted, created_at, accessed_at, kind) VALUES (?, 0, ?, '', '', '{}', 'none', 0, ${erasedMark}, 0, 0, '')`,
  )
  return (id: string, user: string): void => void blank.run(id, user)
}

export const sessionEraser = (store: ReadStore): Eraser => {
  const blank = blankWriter(store)
  const userOf = store.prepare<[string], string>('SELECT user_id FROM env_sessions WHERE id = ?').pluck()
  return stream => {
    if (!isEnvSessionStream(stream)) return
    const id = sessionIdOf(stream)
    const user = userOf.get(id)
    if (user !== undefined) blank(id, user)
  }
}

export const envSessionsProjection = (store: ReadStore): Projection => {
  const create = store.prepare(
    `INSERT INTO env_sessions (id, position, user_id, client_id, env_id, env_vars, recovery, secret_ref, is_active,
       created_at, accessed_at, kind)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET position = iif(deleted, excluded.position, position), deleted = 0,
       client_id = excluded.client_id, env_id = excluded.env_id,
       env_vars = excluded.env_vars, recovery = excluded.recovery, secret_ref = excluded.secret_ref, is_active = 1,
       created_at = excluded.created_at, accessed_at = excluded.accessed_at, close_reason = NULL, kind = excluded.kind`,
  )
  const access = store.prepare('UPDATE env_sessions SET accessed_at = ? WHERE id = ?')
  const close = store.prepare('UPDATE env_sessions SET is_active = 0, close_reason = ? WHERE id = ?')
  const remove = store.prepare('UPDATE env_sessions SET deleted = 1 WHERE id = ?')

  const blank = blankWriter(store)
  const erased = createErasedStreams(isEnvSessionStream)
  let taken: RecordedSessionEvent[] = []

  const write = ({ position, type, header, data }: RecordedSessionEvent) => {
    const id = sessionIdOf(header.stream)
    const at = Date.parse(header.time)
    switch (type) {
      case 'EnvSessionCreated': {
        const { user_id, client_id, env_id, env_vars, recovery, secret_ref, source } = data
        const vars = JSON.stringify(env_vars)
        const own = [user_id, client_id, env_id, vars, recovery, secret_ref ?? null]
        create.run(id, position, ...own, at, at, source.name)
        return
      }
      case 'EnvStepCompleted':
      case 'EnvSessionReset':
        access.run(at, id)
        return
      case 'EnvSessionClosed':
        close.run(data.reason, id)
        return
      case 'EnvSessionDeleted':
        remove.run(id)
        return
      case 'EnvStepIntended':
        return
    }
  }

  return {
    fold(events) {
      for (const stored of events) {
        erased.follow(stored)
        const event = sessionEvents.find(stored)
        if (event !== undefined) taken.push(event)
      }
    },
    write() {
      for (const event of taken) write(event)
      taken = []
      for (const { stream, owner } of erased.take()) blank(sessionIdOf(stream), owner)
    },
    forget() {
      erased.forget()
      taken = []
    },
  }
}
