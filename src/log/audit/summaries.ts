// Summarizes the streams of the audit trail. The first and the last event of a stream give its beginning, its end and
// its owner.
import type { StreamSummary } from '../../contract/audit.ts'
import { DamagedEvent, type Header } from '../../contract/stored.ts'
import { leafOf } from '../leaf.ts'
import type { EventLog } from '../log.ts'
import { readable } from './rows.ts'
import type { Place, Statements } from './statements.ts'

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
  statements: Statements,
  turn: () => Promise<void>,
  { head, newestOf }: Pick<EventLog, 'head' | 'newestOf'>,
) => {
  const { streamNo, streamId, lastStreamNo, positionOf, firstOf, lastOf } = statements
  const { streamsOfOwner, newestOfOwner, streamsOfOwnerTo, streamsNamedTo } = statements

  /** The number of the last stream that begins at this position or before it. Later streams have larger numbers. */
  const streamsUpTo = (position: number, last: number): number => {
    let [low, high] = [0, last]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((firstOf.get(middle)?.position ?? 0) <= position) low = middle
      else high = middle - 1
    }
    return low
  }

  const summaryOf = (no: number): StreamSummary[] => {
    const [first, last] = [firstOf.get(no), lastOf.get(no, head())]
    // It has no durable event yet, or its events are missing, which reprise verify reports.
    if (first === undefined || last === undefined) return []
    const stream = streamId.get(no)
    const { position: first_position } = first
    if (stream === undefined) throw new DamagedEvent(first_position, 'belongs to a stream that is missing')
    const { position: last_position, revision } = last
    const [{ owner: whose }, { type: last_type }] = [headerAt(first), headerAt(last)]
    return [{ stream, revision, first_position, last_position, last_type, owner: whose }]
  }

  /** Whether the log has a durable event of a stream, as far as this process remembers. */
  const isRemembered = (stream: string): boolean => (newestOf(stream)?.position ?? head() + 1) <= head()

  /** Whether a stream of the owner is searched for. */
  const isSearched = (no: number, { owner, search }: Wanted): boolean =>
    search === undefined ||
    search === owner ||
    streamId.get(no)?.toLowerCase().includes(search.toLowerCase()) === true

  /** The streams after the one with the number `from`, up to the one with the number `to`. */
  const found = (from: number, to: number, { search }: Wanted): number[] => {
    if (search === undefined) return Array.from({ length: to - from }, (_, n) => from + n + 1)
    const named = streamsNamedTo.all(from, to, search.toLowerCase())
    const both = new Set([...named, ...streamsOfOwnerTo.all(search, from, to)])
    return [...both].sort((a, b) => a - b)
  }

  /** The numbers of the streams between two numbers, `from` excluded, in pages. */
  function* pages(from: number, to: number, wanted: Wanted): Generator<number[]> {
    const { owner, search, isNewestFirst = false } = wanted
    const step = search === undefined ? pageStreams : searchedStreams
    let [low, high] = [from, to]
    while (low < high) {
      if (owner !== undefined) {
        const own = isNewestFirst
          ? newestOfOwner.all(owner, low, high, pageStreams)
          : streamsOfOwner.all(owner, low, high, pageStreams)
        const last = own.at(-1)
        if (last === undefined) return
        if (isNewestFirst) high = last - 1
        else low = last
        yield own.filter(no => isSearched(no, wanted))
      } else if (isNewestFirst) {
        const next = Math.max(low, high - step)
        yield found(next, high, wanted).reverse()
        high = next
      } else {
        const next = Math.min(high, low + step)
        yield found(low, next, wanted)
        low = next
      }
    }
  }

  return {
    async *streams(after: number, wanted: Wanted) {
      const end = lastStreamNo.get() ?? 0
      const to = wanted.before === undefined ? end : streamsUpTo(wanted.before - 1, end)
      await turn()
      for (const page of pages(streamsUpTo(after, end), to, wanted)) {
        for (let from = 0; from < page.length; from += pageStreams) {
          if (from > 0) await turn()
          yield page.slice(from, from + pageStreams).flatMap(each =>
            readable(
              () => summaryOf(each),
              () => positionOf.get(each, 0) ?? 0,
            ),
          )
        }
        await turn()
      }
    },
    ownerOf(stream: string) {
      const no = streamNo.get(stream)
      const first = no === undefined ? undefined : firstOf.get(no)
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
