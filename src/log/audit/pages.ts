// Reads events of the audit trail in pages: all events, the events of one stream, or the events of one owner.
import { DamagedEvent } from '../../contract/stored.ts'
import type { Newest } from '../heads.ts'
import { openDigest } from '../leaf.ts'
import type { AuditRows } from '../storage.ts'
import { checked, type ReadLong, readable } from './rows.ts'

// Reads long payloads for the audit trail. Each piece of a payload is read twice: first to compute the digest, one
// piece in each turn of the event loop, and again when the answer takes the text.

const longReader =
  ({ piece }: Pick<AuditRows, 'piece'>, turn: () => Promise<void>): ReadLong =>
  async ({ position, salt }) => {
    const pieceOf = (n: number) =>
      readable(
        () => piece(position, n),
        () => position,
      )
    const first = await pieceOf(0)
    if (first === undefined) return undefined
    const digest = openDigest(salt ?? '')
    let bytes = 0
    let count = 0
    for (let text: string | undefined = first; text !== undefined; text = await pieceOf(++count)) {
      digest.add(text)
      bytes += Buffer.byteLength(text)
      await turn()
    }
    async function* pieces() {
      for (let n = 0; n < count; n++) {
        const text = await pieceOf(n)
        if (text === undefined) throw new DamagedEvent(position, 'has lost a piece of its payload')
        yield text
      }
    }
    return { text: { bytes, pieces }, digest: digest.end(), begin: first.slice(0, 1) }
  }

/** The largest number of events on one page. */
const pageEvents = 200
/** In one turn of the event loop, at most this many positions are searched for the events of one owner. */
const windowPositions = 2000

/** Reads events after the position `after`, up to the position `end`. Waits for `turn` before each page. */
export const createAuditPages = (rows: AuditRows, turn: () => Promise<void>) => {
  const { page, streamPage, ownerPage, streamNo, revisionAt, positionOf, erasedBy } = rows
  const lookup = { readLong: longReader(rows, turn), erasedBy }
  return {
    async *all(after: number, end: number) {
      for (let from = after; from < end; ) {
        await turn()
        const found = await readable(
          () => page(from, end, pageEvents),
          () => from + 1,
        )
        if (found.length === 0) throw new DamagedEvent(from + 1, 'is missing')
        yield* checked(found, lookup, ({ position }) => {
          if (position !== ++from) throw new DamagedEvent(from, 'is missing')
        })
      }
    },
    /** `newest`: the newest event of the stream, if it is known; it may come after `end`. */
    async *ofStream(stream: string, after: number, end: number, newest: Newest | undefined) {
      const no = await streamNo(stream)
      const isInRange = newest !== undefined && newest.position > after && newest.position <= end
      if (no === undefined) {
        if (isInRange) throw new DamagedEvent(newest.position, 'is not found in its stream')
        return
      }
      for (let from = await revisionAt(no, after); ; ) {
        await turn()
        const found = await readable(
          () => streamPage(no, from, end, pageEvents),
          async () => (await positionOf(no, from + 1)) ?? end,
        )
        if (found.length === 0) {
          if (isInRange && from < newest.revision)
            throw new DamagedEvent(newest.position, 'is not found in its stream')
          return
        }
        yield* checked(found, lookup, ({ position, revision, stream: other }) => {
          if (other !== stream)
            throw new DamagedEvent(position, `is listed under ${stream} and belongs to ${other}`)
          if (revision !== ++from) throw new DamagedEvent(position, `is not revision ${from} of ${stream}`)
        })
      }
    },
    async *ofOwner(owner: string, after: number, end: number) {
      for (let from = after; from < end; ) {
        await turn()
        const to = Math.min(from + windowPositions, end)
        const found = await readable(
          () => ownerPage(owner, from, to),
          () => from + 1,
        )
        yield* checked(found, lookup, ({ position, stream }) => {
          if (stream === null) throw new DamagedEvent(position, 'belongs to a stream that is missing')
        })
        from = found.at(-1)?.position ?? to
      }
    },
  }
}
