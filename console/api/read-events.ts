// Reads the stored events of a stream, page by page, and goes on where it was when new ones are stored.
import type { Header, Recorded } from '../../src/contract/stored.ts'
import { type Api, queryOf } from './client.ts'

type Stored = { position: number; header: string; data: unknown; leaf_hash: string }
type Page = { events: Stored[]; has_more: boolean }

const perPage = 1000
/** The time in which news of events are gathered before the events are read, in milliseconds. */
const gatherMs = 60

const recorded = ({ position, header, data }: Stored): Recorded => ({
  position,
  header: JSON.parse(header) as Header,
  data,
})

/** Calls `take` with each page of events after a position, up to the end. Resolves to the last position. */
const readAfter = async (
  api: Api,
  stream: string,
  after: number,
  take: (events: Recorded[]) => void,
  signal: AbortSignal,
): Promise<number> => {
  let last = after
  for (;;) {
    const query = queryOf({ stream, after: last, limit: perPage })
    const { events, has_more } = await api.send<Page>('GET', `/audit/events${query}`, undefined, signal)
    last = events.at(-1)?.position ?? last
    if (events.length > 0) take(events.map(recorded))
    if (!has_more || events.length === 0) return last
  }
}

type Options = { api: Api; stream: string; take: (events: Recorded[]) => void; signal: AbortSignal }

export const createEventReader = ({ api, stream, take, signal }: Options) => {
  let position = 0
  let reading: Promise<void> = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Reads what is new. Reads follow each other, also after one that failed. */
  const now = (): Promise<void> => {
    reading = reading
      .catch(() => {})
      .then(async () => {
        position = await readAfter(api, stream, position, take, signal)
      })
    return reading
  }
  return {
    now,
    soon(): void {
      timer ??= setTimeout(() => {
        timer = undefined
        now().catch(() => {}) // the next read asks for the same events again
      }, gatherMs)
    },
    close: () => clearTimeout(timer),
  }
}
