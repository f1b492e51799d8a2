// Reads what a view shows from the server: at once, and again when events or a timer say that it may have changed.
import { batch, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ApiError, isRefusal } from '../api/api-error.ts'
import { type Connection, openLiveStream, stateAfter, type Wanted } from '../api/live-stream.ts'
import { createPaced } from '../api/paced.ts'
import { isAway, whenThere } from '../api/reach.ts'
import { api } from '../api/session.ts'
import { useConnection } from './connection.tsx'

/** `events`: the public events that say when to read again. `everyMs`: read again at this pace. */
type Changes = { events?: Wanted; everyMs?: number }

/** After a failure that may pass, milliseconds until the next try. */
const retryMs = 2000

export const createReading = <T>(read: (signal: AbortSignal) => Promise<T>, changes: Changes) => {
  const value = signal<T | undefined>(undefined)
  const error = signal<ApiError | undefined>(undefined)
  const polled = signal<Connection>('connecting')
  const closed = new AbortController()
  let retry: ReturnType<typeof setTimeout> | undefined
  const tryAgain = async () => {
    await whenThere()
    if (!closed.signal.aborted) reading.now()
  }
  const reading = createPaced(async () => {
    try {
      const found = await read(closed.signal)
      batch(() => {
        value.value = found
        error.value = undefined
        polled.value = 'live'
      })
    } catch (failure) {
      if (closed.signal.aborted) return
      const known = failure instanceof ApiError ? failure : new ApiError(500, String(failure))
      batch(() => {
        error.value = known
        polled.value = stateAfter(known)
      })
      clearTimeout(retry)
      if (!isRefusal(known)) retry = setTimeout(tryAgain, isAway.value ? 0 : retryMs)
    }
  })
  const stream =
    changes.events &&
    openLiveStream({
      api,
      events: changes.events,
      onEvent: reading.soon,
      again: reading.soon,
    })
  const timer =
    changes.everyMs === undefined
      ? undefined
      : setInterval(() => {
          if (!document.hidden) reading.soon()
        }, changes.everyMs)
  reading.now()
  return {
    value,
    error,
    connection: stream?.state ?? (timer === undefined ? undefined : polled),
    again: reading.now,
    soon: reading.soon,
    close() {
      clearInterval(timer)
      clearTimeout(retry)
      closed.abort()
      reading.close()
      stream?.close()
    },
  }
}
export type Reading<T> = ReturnType<typeof createReading<T>>

/** A reading, as long as the component is shown and `key` is the same. The head of the page shows its connection. */
export const useReading = <T>(
  key: string,
  read: (signal: AbortSignal) => Promise<T>,
  changes: Changes = {},
): Reading<T> => {
  const reading = useMemo(() => createReading(read, changes), [key])
  useConnection(reading.connection)
  useEffect(() => reading.close, [reading])
  return reading
}
