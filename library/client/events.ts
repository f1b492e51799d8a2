// All public events of the server, past and live.
import type { Link } from './link.ts'
import { type Place, streamOf } from './stream.ts'
import type { Gap, PublicEvent } from './types.ts'

/** Keeps the position up to which the events are handled, for example in a file or a database. */
export type CursorStore = {
  get(): string | number | undefined | null | Promise<string | number | undefined | null>
  set(position: number): unknown
}

export type EventsOptions = {
  /** The position after which the events begin, or `earliest`. The default: events that are to come. */
  cursor?: string | number | undefined
  /** Only events of these types. */
  types?: readonly PublicEvent['type'][] | undefined
  session_id?: string | undefined
  task_id?: string | undefined
  /**
   * Keeps the cursor: `get` is asked first, and `set` gets the position of an event when the next one is asked for. So an event that
   * was being handled when the program ended comes again.
   */
  store?: CursorStore | undefined
  signal?: AbortSignal | undefined
}

/** An event, with its position in the log. */
export type PlacedEvent = (PublicEvent | Gap) & { position: number }

export async function* followEvents(link: Link, options: EventsOptions): AsyncGenerator<PlacedEvent, void> {
  const { store, types, session_id, task_id, signal } = options
  const kept = await store?.get()
  const place: Place = { cursor: kept ?? options.cursor }
  const query = { types, session_id, task_id }
  for await (const { id, event, data } of streamOf(
    link,
    { method: 'GET', path: '/api/events', query, signal },
    place,
    false,
  )) {
    if (event === 'Position') continue // where new events begin: the cursor, if the connection breaks before the first one
    const position = Number(id)
    yield { ...(JSON.parse(data) as PublicEvent | Gap), position }
    await store?.set(position)
  }
}
