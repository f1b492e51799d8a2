// Reads the stored events of a task, page by page, and goes on when new ones are stored.
import type { Header, Recorded } from '../../src/contract/stored.ts'
import { type Api, queryOf } from '../api/client.ts'

type Stored = { position: number; header: string; data: unknown; leaf_hash: string }
type Page = { events: Stored[]; has_more: boolean }

const perPage = 1000

const recorded = ({ position, header, data }: Stored): Recorded => ({
  position,
  header: JSON.parse(header) as Header,
  data,
})

/** Calls `take` with each page of events after a position, up to the end. Resolves to the last position. */
export const readEvents = async (
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
