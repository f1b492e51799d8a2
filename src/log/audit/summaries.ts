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

type Wanted = { owner?: string | undefined; search?: string | undefined }

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
  const { streamsOfOwner, streamsOfOwnerTo, streamsNamedTo } = statements

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

  /** The streams after the one with the number `no`, up to the size of a page. `to`: the last stream that was looked at. */
  const pageAfter = (no: number, end: number, { owner, search }: Wanted): { found: number[]; to: number } => {
    if (owner !== undefined) {
      const own = streamsOfOwner.all(owner, no, pageStreams)
      const fits = (each: number) =>
        search === undefined ||
        search === owner ||
        streamId.get(each)?.toLowerCase().includes(search.toLowerCase())
      return { found: own.filter(fits), to: own.at(-1) ?? end }
    }
    const to = Math.min(end, no + (search === undefined ? pageStreams : searchedStreams))
    if (search === undefined) return { found: Array.from({ length: to - no }, (_, n) => no + n + 1), to }
    const named = streamsNamedTo.all(no, to, search.toLowerCase())
    const found = new Set([...named, ...streamsOfOwnerTo.all(search, no, to)])
    return { found: [...found].sort((a, b) => a - b), to }
  }

  return {
    async *streams(after: number, wanted: Wanted) {
      const end = lastStreamNo.get() ?? 0
      for (let no = streamsUpTo(after, end); no < end; ) {
        await turn()
        const { found, to } = pageAfter(no, end, wanted)
        for (let from = 0; from < found.length; from += pageStreams) {
          if (from > 0) await turn()
          yield found.slice(from, from + pageStreams).flatMap(each =>
            readable(
              () => summaryOf(each),
              () => positionOf.get(each, 0) ?? 0,
            ),
          )
        }
        no = to
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
