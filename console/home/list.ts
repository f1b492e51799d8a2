// Keeps the list of tasks up to date: reads it, changes it by each event, and reads it again a moment after events.
// However many events come, it is drawn at most ten times a second, has limited rows, and is read at a limited pace.
import { batch, signal } from '@preact/signals'
import type { Api } from '../api/api.ts'
import { openLiveStream } from '../api/live-stream.ts'
import { createPaced } from '../api/paced.ts'
import type { Filters } from './filters.ts'
import { type Counts, createListReader, mostFailed, mostWaiting, type Unshown } from './read-list.ts'
import { applyEvents, type Row, type RowEvent } from './rows.ts'

const pageSize = 50
/** The most rows on the page. */
const mostRows = 500
const mostUrgent = mostWaiting + mostFailed
/** The most events that wait for the next drawing. Further ones are dropped: the list is read again soon anyway. */
const mostGathered = 2_000

/** Milliseconds between two drawings of a list that changes all the time. Nobody can follow more than ten a second. */
const drawMs = 100

/** Gathers events, and gives them to `draw` with the next frame of the browser, but at most ten times a second. */
const createGatherer = (draw: (events: readonly RowEvent[]) => void) => {
  let events: RowEvent[] = []
  let drawnAt = -drawMs
  const drawNow = () => {
    const gathered = events
    events = []
    drawnAt = performance.now()
    draw(gathered)
  }
  return (event: RowEvent): void => {
    if (events.length === 0) {
      const waitMs = drawnAt + drawMs - performance.now()
      setTimeout(() => requestAnimationFrame(drawNow), Math.max(0, waitMs))
    }
    if (events.length < mostGathered) events.push(event)
  }
}

export const createList = (api: Api, filters: Filters) => {
  const rows = signal<Row[]>([])
  const attention = signal<Row[]>([])
  const unshown = signal<Unshown>({ waiting: false, failed: false })
  const counts = signal<Counts | undefined>(undefined)
  const hasMore = signal(false)
  /** Whether there are more tasks, but not on this page: it has as many rows as it may have. */
  const isFull = signal(false)
  const isLoaded = signal(false)
  const error = signal<string | undefined>(undefined)
  const closed = new AbortController()
  const reader = createListReader(api, filters, closed.signal)
  let wanted = pageSize

  const read = async () => {
    try {
      const [list, { urgent, unshown: further }, counted] = await Promise.all([
        reader.rows(wanted),
        reader.attention(),
        reader.counts(),
      ])
      batch(() => {
        rows.value = list.found
        hasMore.value = list.more && wanted < mostRows
        isFull.value = list.more && wanted >= mostRows
        attention.value = urgent
        unshown.value = further
        counts.value = counted
        isLoaded.value = true
        error.value = undefined
      })
    } catch (failure) {
      if (!closed.signal.aborted) error.value = (failure as Error).message
    }
  }
  const reading = createPaced(read)
  const gather = createGatherer(events => {
    rows.value = applyEvents(rows.value, events, filters, wanted)
    const known = events.filter(({ type }) => type !== 'TaskCreated')
    attention.value = applyEvents(attention.value, known, filters, mostUrgent)
  })
  const stream = openLiveStream({
    api,
    events: { types: 'TaskCreated,TaskStatusChanged,TaskDeleted' },
    onEvent(event) {
      gather(event as RowEvent)
      reading.soon()
    },
    again: reading.soon,
  })
  reading.now()
  return {
    rows,
    attention,
    unshown,
    counts,
    hasMore,
    isFull,
    isLoaded,
    error,
    connection: stream.state,
    readNow: reading.now,
    more() {
      wanted = Math.min(mostRows, wanted + pageSize)
      reading.now()
    },
    close() {
      closed.abort()
      reading.close()
      stream.close()
    },
  }
}
export type TaskList = ReturnType<typeof createList>
