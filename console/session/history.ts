// The history of one environment session: its stored events, read again whenever a public event of the session comes.
import { signal } from '@preact/signals'
import { sessionEvents } from '../../src/contract/decoders/env-session.ts'
import { envSessionStream } from '../../src/contract/env-session-events.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { emptySession, evolveSession } from '../../src/history/env-session.ts'
import { type Api, ApiError, queryOf } from '../api/client.ts'
import { keepStream } from '../api/kept-stream.ts'
import { createEventReader } from '../task/read-events.ts'

export type SessionEvent = ReturnType<typeof sessionEvents.read>

const types = 'EnvSessionCreated,EnvStepCompleted,EnvSessionReset,EnvSessionClosed,EnvSessionDeleted'

export const createSessionHistory = (api: Api, id: string) => {
  const events: SessionEvent[] = []
  const view = emptySession()
  /** The number of events so far. */
  const length = signal(0)
  const error = signal<ApiError | undefined>(undefined)
  const closed = new AbortController()

  const take = (stored: Recorded[]) => {
    for (const each of stored) {
      if (each.header.revision < events.length) continue
      const event = sessionEvents.read(each)
      evolveSession(view, event)
      events.push(event)
    }
    length.value = events.length
  }
  const reader = createEventReader({ api, stream: envSessionStream(id), take, signal: closed.signal })
  reader.now().catch(failure => {
    if (!closed.signal.aborted)
      error.value = failure instanceof ApiError ? failure : new ApiError(0, String(failure))
  })
  const stream = keepStream({
    api,
    path: `/api/events${queryOf({ types, session_id: id })}`,
    onEvent: reader.soon,
    onGap: reader.soon,
  })
  return {
    id,
    events: events as readonly SessionEvent[],
    view,
    length,
    error,
    connection: stream.state,
    refresh: reader.soon,
    close() {
      closed.abort()
      reader.close()
      stream.close()
    },
  }
}
export type SessionHistory = ReturnType<typeof createSessionHistory>
