// Reads events of the audit trail in pages: all events, the events of one stream, or the events of one owner.
import { DamagedEvent } from '../../contract/stored.ts'
import type { Newest } from '../heads.ts'
import { longReader } from './long.ts'
import { checked, pageOf, readable } from './rows.ts'
import { ownedBy, type Statements } from './statements.ts'

/** The largest number of events on one page. */
const pageEvents = 200
/** In one turn of the event loop, at most this many positions are searched for the events of one owner. */
const windowPositions = 2000

/** Reads events after the position `after`, up to the position `end`. Waits for `turn` before each page. */
export const createPages = (statements: Statements, turn: () => Promise<void>) => {
  const { page, streamPage, ownerPage, streamNo, revisionAt, positionOf, erasedBy } = statements
  const lookup = { readLong: longReader(statements, turn), erasedBy }
  return {
    async *all(after: number, end: number) {
      for (let from = after; from < end; ) {
        await turn()
        const rows = readable(
          () => pageOf(page.iterate(from, end, pageEvents)),
          () => from + 1,
        )
        if (rows.length === 0) throw new DamagedEvent(from + 1, 'is missing')
        yield* checked(rows, lookup, ({ position }) => {
          if (position !== ++from) throw new DamagedEvent(from, 'is missing')
        })
      }
    },
    /** `newest`: the newest event of the stream, if it is known; it may come after `end`. */
    async *ofStream(stream: string, after: number, end: number, newest: Newest | undefined) {
      const no = streamNo.get(stream)
      const isInRange = newest !== undefined && newest.position > after && newest.position <= end
      if (no === undefined) {
        if (isInRange) throw new DamagedEvent(newest.position, 'is not found in its stream')
        return
      }
      for (let from = revisionAt.get(no, after) ?? -1; ; ) {
        await turn()
        const rows = readable(
          () => pageOf(streamPage.iterate(no, from, end, pageEvents)),
          () => positionOf.get(no, from + 1) ?? end,
        )
        if (rows.length === 0) {
          if (isInRange && from < newest.revision)
            throw new DamagedEvent(newest.position, 'is not found in its stream')
          return
        }
        yield* checked(rows, lookup, ({ position, revision, stream: found }) => {
          if (found !== stream)
            throw new DamagedEvent(position, `is listed under ${stream} and belongs to ${found}`)
          if (revision !== ++from) throw new DamagedEvent(position, `is not revision ${from} of ${stream}`)
        })
      }
    },
    async *ofOwner(owner: string, after: number, end: number) {
      const mark = ownedBy(owner)
      for (let from = after; from < end; ) {
        await turn()
        const to = Math.min(from + windowPositions, end)
        const rows = readable(
          () => pageOf(ownerPage.iterate(from, to, mark)),
          () => from + 1,
        )
        yield* checked(rows, lookup, ({ position, stream }) => {
          if (stream === null) throw new DamagedEvent(position, 'belongs to a stream that is missing')
        })
        from = rows.at(-1)?.position ?? to
      }
    },
  }
}
