// The history of one task on the page: all stored events so far, and those that come while somebody looks. The stream of
// frames says that there is something new; the events themselves are read from the log.
import { batch, signal } from '@preact/signals'
import type { Recorded } from '../../src/contract/stored.ts'
import { taskStream } from '../../src/contract/task-stream.ts'
import { isTerminal } from '../../src/contract/wire/task-status.ts'
import { type Api, ApiError, at } from '../api/client.ts'
import type { Connection } from '../api/kept-stream.ts'
import { createPast } from './past.ts'
import { readEvents } from './read-events.ts'
import { createRows } from './rows.ts'
import { createSpans } from './spans.ts'

/** The time in which new frames are gathered before their events are read, in milliseconds. */
const gatherMs = 60
const firstWaitMs = 300
const longestWaitMs = 5_000

export const createHistory = (api: Api, id: string) => {
  const past = createPast()
  const rows = createRows()
  const spans = createSpans()
  /** The number of events so far. What is derived from the events changes with it. */
  const length = signal(0)
  const error = signal<ApiError | undefined>(undefined)
  const isLoaded = signal(false)
  const connection = signal<Connection>('connecting')
  const closed = new AbortController()
  let position = 0

  const take = (stored: Recorded[]) => {
    const before = past.events.length
    past.add(stored)
    for (const event of past.events.slice(before)) {
      rows.add(event)
      spans.add(event)
    }
    length.value = past.events.length
  }

  let reading: Promise<void> = Promise.resolve()
  /** Reads what is new. Calls follow each other. */
  const read = (): Promise<void> => {
    reading = reading.then(async () => {
      position = await readEvents(api, taskStream(id), position, take, closed.signal)
    })
    return reading
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const readSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      read().catch(() => {})
    }, gatherMs)
  }
  const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))

  /** Reads, then follows the frames until the task has ended. */
  const follow = async (): Promise<void> => {
    await read()
    isLoaded.value = true
    error.value = undefined
    connection.value = 'live'
    if (isTerminal(past.newest.status)) return
    const after = past.newest.seq - 1
    await api.follow(`/v1/tasks${at(id)}/events`, {
      signal: closed.signal,
      ...(after < 0 ? {} : { lastEventId: String(after) }),
      onEvent: readSoon,
    })
    await read()
  }
  const run = async () => {
    let waitMs = firstWaitMs
    while (!closed.signal.aborted) {
      try {
        reading = Promise.resolve()
        await follow()
        waitMs = firstWaitMs
        if (!isTerminal(past.newest.status)) continue // the server ends streams when it stops
        connection.value = 'ended'
        return
      } catch (failure) {
        if (closed.signal.aborted) return
        const isHopeless = failure instanceof ApiError && failure.status >= 400 && failure.status < 500
        batch(() => {
          connection.value = isHopeless ? 'refused' : 'lost'
          if (isHopeless || !isLoaded.value || !(failure instanceof ApiError))
            error.value = failure instanceof ApiError ? failure : new ApiError(0, String(failure))
        })
        if (isHopeless) return
      }
      await pause(waitMs)
      waitMs = Math.min(longestWaitMs, waitMs * 2)
    }
  }
  void run()

  return {
    id,
    past,
    rows,
    spans,
    length,
    error,
    isLoaded,
    connection,
    /** Reads what an action of the user has stored. */
    refresh: () => void read().catch(() => {}),
    close() {
      clearTimeout(timer)
      closed.abort()
    },
  }
}
export type TaskHistory = ReturnType<typeof createHistory>
