// Summarizes the streams of the audit trail. The first and the last event of a stream give its beginning, its end and
// its owner.
import type { StreamSummary } from '../../contract/audit.ts'
import { DamagedEvent, type Header } from '../../contract/stored.ts'
import { leafOf } from '../leaf.ts'
import type { EventLog } from '../log.ts'
import type { AuditRows, Place } from '../storage.ts'
import { readable } from './rows.ts'

const pageStreams = 100
/** The names of this many streams are searched in one turn of the event loop. */
const searchedStreams = 5000

/** `before`: only streams that begin before this position. */
type Wanted = {
  owner?: string | undefined
  search?: string | undefined
  before?: number | undefined
  isNewestFirst?: boolean
}

const headerAt = ({ position, header, leaf }: Place): Header => {
  if (leafOf(header) !== leaf) throw new DamagedEvent(position, 'does not match its leaf')
  return JSON.parse(header) as Header
}

/** Waits for `turn` before each page. Shows no event behind the head of the log, since it may not be durable. */
export const createSummaries = (
  rows: AuditRows,
  turn: () => Promise<void>,
  { head, newestOf }: Pick<EventLog, 'head' | 'newestOf'>,
) => {
  const { streamNo, streamId, lastStreamNo, positionOf, firstOf, lastOf, streamsOfOwner } = rows

  /** The number of the last stream that begins at this position or before it. Later streams have larger numbers. */
  const streamsUpTo = async (position: number, last: number): Promise<number> => {
    let [low, high] = [0, last]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (((await firstOf(middle))?.position ?? 0) <= position) low = middle
      else high = middle - 1
    }
    return low
  }

  const summaryOf = async (no: number): Promise<StreamSummary[]> => {
    const [first, last] = [await firstOf(no), await lastOf(no, head())]
    // It has no durable event yet, or its events are missing, which reprise verify reports.
    if (first === undefined || last === undefined) return []
    const stream = await streamId(no)
    const { position: first_position } = first
    if (stream === undefined) throw new DamagedEvent(first_position, 'belongs to a stream that is missing')
    const { position: last_position, revision } = last
    const [{ owner: whose }, { type: last_type }] = [headerAt(first), headerAt(last)]
    return [{ stream, revision, first_position, last_position, last_type, owner: whose }]
  }

  /** Whether the log has a durable event of a stream, as far as this process remembers. */
  const isRemembered = (stream: string): boolean => (newestOf(stream)?.position ?? head() + 1) <= head()

  /** Whether a stream of the owner is searched for. */
  const isSearched = async (no: number, { owner, search }: Wanted): Promise<boolean> =>
    search === undefined ||
    search === owner ||
    (await streamId(no))?.toLowerCase().includes(search.toLowerCase()) === true

  /** The streams after the one with the number `from`, up to the one with the number `to`. */
  const found = async (from: number, to: number, { search }: Wanted): Promise<number[]> =>
    search === undefined
      ? Array.from({ length: to - from }, (_, n) => from + n + 1)
      : rows.streamsNamed(search, { from, to })

  /** The numbers of the streams between two numbers, `from` excluded, in pages. */
  async function* pages(from: number, to: number, wanted: Wanted): AsyncGenerator<number[]> {
    const { owner, search, isNewestFirst = false } = wanted
    const step = search === undefined ? pageStreams : searchedStreams
    let [low, high] = [from, to]
    while (low < high) {
      if (owner !== undefined) {
        const own = await streamsOfOwner(owner, { from: low, to: high }, pageStreams, isNewestFirst)
        const last = own.at(-1)
        if (last === undefined) return
        if (isNewestFirst) high = last - 1
        else low = last
        const searched: number[] = []
        for (const no of own) if (await isSearched(no, wanted)) searched.push(no)
        yield searched
      } else if (isNewestFirst) {
        const next = Math.max(low, high - step)
        yield (await found(next, high, wanted)).reverse()
        high = next
      } else {
        const next = Math.min(high, low + step)
        yield await found(low, next, wanted)
        low = next
      }
    }
  }

  const summariesOf = async (numbers: readonly number[]): Promise<StreamSummary[]> => {
    const summaries: StreamSummary[] = []
    for (const no of numbers) {
      const firstPosition = async () => (await positionOf(no, 0)) ?? 0
      summaries.push(...(await readable(() => summaryOf(no), firstPosition)))
    }
    return summaries
  }

  return {
    async *streams(after: number, wanted: Wanted) {
      const end = await lastStreamNo()
      const to = wanted.before === undefined ? end : await streamsUpTo(wanted.before - 1, end)
      await turn()
      for await (const page of pages(await streamsUpTo(after, end), to, wanted)) {
        for (let from = 0; from < page.length; from += pageStreams) {
          if (from > 0) await turn()
          yield await summariesOf(page.slice(from, from + pageStreams))
        }
        await turn()
      }
    },
    async ownerOf(stream: string): Promise<string | undefined> {
      const no = await streamNo(stream)
      const first = no === undefined ? undefined : await firstOf(no)
      // No user has the name '', so only callers that may read every stream go on, and then find the damage.
      if (first === undefined) return isRemembered(stream) ? '' : undefined
      try {
        return headerAt(first).owner
      } catch {
        return ''
      }
    },
  }
}
