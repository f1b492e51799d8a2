// Keeps the history of one task on the page: all stored events so far, and the events that come while the page is open.
// The stream of frames only says that there is something new; the events themselves are read from the log.
import { batch, signal } from '@preact/signals'
import { taskStream } from '../../src/contract/task-stream.ts'
import { isTerminal } from '../../src/contract/wire/task-status.ts'
import type { Api } from '../api/api.ts'
import { ApiError, isRefusal } from '../api/api-error.ts'
import { type Connection, stateAfter } from '../api/live-stream.ts'
import { createEventReader } from '../api/read-events.ts'
import { createGrowing } from './growing.ts'

// Follows something until it has ended, and tries again when that fails.

const firstWaitMs = 300
const longestWaitMs = 5_000

type Options = {
  follow: () => Promise<void>
  /** Called when `follow` failed. Returns true when it makes no sense to try again. */
  failed: (error: unknown) => boolean
  hasEnded: () => boolean
  signal: AbortSignal
}

/** Resolves when `hasEnded` or `failed` returns true, or when the signal aborts. */
const tryAgain = async ({ follow, failed, hasEnded, signal }: Options): Promise<void> => {
  let waitMs = firstWaitMs
  while (!signal.aborted) {
    try {
      await follow()
      if (hasEnded()) return
      waitMs = firstWaitMs // no failure: a server that stops ends its streams
    } catch (error) {
      if (signal.aborted || failed(error)) return
    }
    await new Promise(resolve => setTimeout(resolve, waitMs))
    waitMs = Math.min(longestWaitMs, waitMs * 2)
  }
}

export const createHistory = (api: Api, id: string) => {
  const { past, rows, journal, spans, length, isLoaded, take, show } = createGrowing()
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
  void tryAgain({
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
    journal,
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
