// Keeps the history of one task on the page: all stored events so far, and the events that come while the page is open.
// The stream of frames only says that there is something new; the events themselves are read from the log.
import { batch, signal } from '@preact/signals'
import { taskStream } from '../../src/contract/task-stream.ts'
import { isTerminal } from '../../src/contract/wire/task-status.ts'
import type { Api } from '../api/api.ts'
import { ApiError, isRefusal } from '../api/api-error.ts'
import { type Connection, stateAfter } from '../api/kept-stream.ts'
import { createEventReader } from '../api/read-events.ts'
import { createGrowing } from './growing.ts'
import { keepTrying } from './keep-trying.ts'

export const createHistory = (api: Api, id: string) => {
  const { past, rows, spans, length, isLoaded, take, show } = createGrowing()
  const error = signal<ApiError | undefined>(undefined)
  /** Whether all events that were stored when the page was opened have been read. */
  const isWhole = signal(false)
  const connection = signal<Connection>('connecting')
  const closed = new AbortController()

  const reader = createEventReader({ api, stream: taskStream(id), take, done: show, signal: closed.signal })

  /** Reads, then follows the frames. Resolves when the task has ended, or the server has ended the stream. */
  const follow = async (): Promise<void> => {
    await reader.now()
    batch(() => {
      isLoaded.value = true
      isWhole.value = true
      error.value = undefined
      connection.value = 'live'
    })
    if (isTerminal(past.newest.status)) return
    const since = past.newest.seq - 1
    await api.follow(
      { channels: ['task'], task_id: id, since },
      { signal: closed.signal, onEvent: reader.soon },
    )
    await reader.now()
  }
  const failed = (failure: unknown): boolean => {
    const known = failure instanceof ApiError ? failure : new ApiError(0, String(failure))
    const isHopeless = isRefusal(known)
    batch(() => {
      connection.value = stateAfter(known)
      if (isHopeless || !isLoaded.value || known !== failure) error.value = known
    })
    return isHopeless
  }
  void keepTrying({
    follow,
    failed,
    hasEnded: () => isTerminal(past.newest.status),
    signal: closed.signal,
  }).then(() => {
    if (connection.value === 'live') connection.value = 'ended'
  })

  return {
    id,
    past,
    rows,
    spans,
    length,
    error,
    isLoaded,
    isWhole,
    connection,
    /** Reads the events that an action of the user has stored. */
    refresh: reader.soon,
    close() {
      reader.close()
      closed.abort()
    },
  }
}
export type TaskHistory = ReturnType<typeof createHistory>
