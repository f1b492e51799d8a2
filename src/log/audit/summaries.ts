// Summarizes the streams of the audit trail. The first and the last event of a stream give its beginning, its end and
// its owner.
import type { StreamSummary } from '../../contract/audit.ts'
import { DamagedEvent, type Header } from '../../contract/stored.ts'
import { leafOf } from '../leaf.ts'
import type { EventLog } from '../log.ts'
import { readable } from './rows.ts'
import type { Place, Statements } from './statements.ts'

const pageStreams = 100

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
  const { streamNo, streamId, lastStreamNo, streamsOfOwner, positionOf, firstOf, lastOf } = statements

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

  /** The numbers of the streams after a stream, of one owner or of all, up to the size of a page. */
  const pageAfter = (no: number, end: number, owner: string | undefined): number[] =>
    owner === undefined
      ? Array.from({ length: Math.min(pageStreams, end - no) }, (_, n) => no + n + 1)
      : streamsOfOwner.all(owner, no, pageStreams)

  return {
    async *streams(after: number, owner?: string) {
      const end = lastStreamNo.get() ?? 0
      for (let no = streamsUpTo(after, end); ; ) {
        await turn()
        const page = pageAfter(no, end, owner)
        if (page.length === 0) return
        yield page.flatMap(each =>
          readable(
            () => summaryOf(each),
            () => positionOf.get(each, 0) ?? 0,
          ),
        )
        no = page.at(-1) ?? no
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
