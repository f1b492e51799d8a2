// Keeps the stored events of one stream of the log, and adds the events that arrive while the page is open.
import { batch, signal } from '@preact/signals'
import type { Recorded } from '../../src/contract/stored.ts'
import { ApiError } from './api-error.ts'
import { openLiveStream, type Wanted } from './live-stream.ts'
import { createEventReader } from './read-events.ts'
import { api } from './session.ts'

/** `news`: the public events that say when there may be new events. */
type Options = { stream: string; news: Wanted }

export const createStoredStream = ({ stream, news }: Options) => {
  const events = signal<readonly Recorded[]>([])
  const isLoaded = signal(false)
  const error = signal<ApiError | undefined>(undefined)
  const closed = new AbortController()

  const taken: Recorded[] = []
  const reader = createEventReader({
    api,
    stream,
    take: more => taken.push(...more),
    done() {
      if (taken.length > events.value.length) events.value = taken.slice()
    },
    signal: closed.signal,
  })
  const read = async () => {
    try {
      await reader.now()
      batch(() => {
        isLoaded.value = true
        error.value = undefined
      })
    } catch (failure) {
      if (closed.signal.aborted) return
      error.value = failure instanceof ApiError ? failure : new ApiError(500, String(failure))
    }
  }
  const again = () => void read()
  const live = openLiveStream({
    api,
    events: news,
    onEvent: reader.soon,
    again,
  })
  again()
  return {
    events,
    isLoaded,
    error,
    connection: live.state,
    again,
    close() {
      closed.abort()
      reader.close()
      live.close()
    },
  }
}
export type StoredStream = ReturnType<typeof createStoredStream>
