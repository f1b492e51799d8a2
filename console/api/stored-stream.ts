// The stored events of one stream of the log, and those that come while somebody looks.
import { batch, signal } from '@preact/signals'
import type { Recorded } from '../../src/contract/stored.ts'
import { readEvents } from '../task/read-events.ts'
import { ApiError, queryOf } from './client.ts'
import { keepStream } from './kept-stream.ts'
import { api } from './session.ts'

/** `news`: the filters of the event stream that says when there may be new events. */
type Options = { stream: string; news: { types: string; session_id?: string; task_id?: string } }

export const createStoredStream = ({ stream, news }: Options) => {
  const events = signal<readonly Recorded[]>([])
  const isLoaded = signal(false)
  const error = signal<ApiError | undefined>(undefined)
  const closed = new AbortController()
  let position = 0
  let isReading = false
  let isWanted = false

  const take = (more: Recorded[]) => {
    events.value = [...events.value, ...more]
  }
  const pass = async () => {
    try {
      position = await readEvents(api, stream, position, take, closed.signal)
      batch(() => {
        isLoaded.value = true
        error.value = undefined
      })
    } catch (failure) {
      if (closed.signal.aborted) return
      error.value = failure instanceof ApiError ? failure : new ApiError(0, String(failure))
    }
  }
  /** Reads what is new. What comes during a pass is read by the next one. */
  const read = async () => {
    isWanted = true
    if (isReading) return
    isReading = true
    while (isWanted && !closed.signal.aborted) {
      isWanted = false
      await pass()
    }
    isReading = false
  }
  const again = () => void read()
  const kept = keepStream({ api, path: `/api/events${queryOf(news)}`, onEvent: again, onGap: again })
  again()
  return {
    events,
    isLoaded,
    error,
    connection: kept.state,
    again,
    close() {
      closed.abort()
      kept.close()
    },
  }
}
export type StoredStream = ReturnType<typeof createStoredStream>
