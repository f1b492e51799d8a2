// Reads records in order, and joins records that came in parts. A record that does not follow the last valid one is
// void. Servers can store such a record, since they only compare sequences: for example, servers lose
// records, records of another node take these places, and a node appends before it has read them. Every node passes
// over a void record.
import { type Content, unpackContent } from '../records/content.ts'
import { openRecord, originOf } from '../records/form.ts'
import { type Joined, join } from '../records/parts.ts'
import { LostLog, type SharedRecord, UnfitRecord } from '../shared-log.ts'

/**
 * A place in the shared log: its sequence, then the sequence and the digest of the last valid record up to this place,
 * and the last position of the log up to this place (in the marks that `open` returns: before the record).
 */
export type Mark = { sequence: number; valid: number; digest: Buffer; position: number }

/**
 * A record that was read. It counts as read when `advance` was called with it. `content`: undefined for a void record,
 * and for a part that is not the last one.
 */
export type Read = { mark: Mark; joined: Joined; content: Content | undefined; isVoid: boolean }

const unpacked = (sequence: number, bytes: Buffer): Content => {
  try {
    return unpackContent(bytes)
  } catch (error) {
    throw new UnfitRecord(sequence, (error as Error).message)
  }
}

export const createReader = (key: Buffer, logId: string) => {
  const origin: Mark = { sequence: 0, valid: 0, digest: originOf(logId), position: 0 }
  let at = origin
  let joined: Joined = []
  return {
    at: (): Mark => at,
    /** Whether only some of the parts of a record were read so far. */
    isWithin: (): boolean => joined.length > 0,
    /** Opens the next record. Throws UnfitRecord, and LostLog when the first record begins another log. */
    open(record: SharedRecord): Read {
      const { sequence } = record
      if (sequence !== at.sequence + 1) throw new UnfitRecord(sequence, 'came out of order', true)
      const { content: bytes, digest, before } = openRecord(key, record)
      if (sequence === 1 && !before.equals(origin.digest))
        throw new LostLog(`the stream of the shared log begins another log than that of this node, ${logId}`)
      if (!before.equals(at.digest))
        return { mark: { ...at, sequence }, joined, content: undefined, isVoid: true }
      const mark = { sequence, valid: sequence, digest, position: at.position }
      const content = unpacked(sequence, bytes)
      if (content.kind !== 'part') return { mark, joined: [], content, isVoid: false }
      const [part = new Uint8Array()] = content.parts
      const next = join(joined, content.facts, part)
      const whole = next.whole && unpacked(sequence, next.whole)
      return { mark, joined: next.joined, content: whole, isVoid: false }
    },
    advance(read: { mark: Mark; joined: Joined }): void {
      at = read.mark
      joined = read.joined
    },
    /** Continues to read behind this place; absent: from the first record on. */
    goTo(mark: Mark = origin): void {
      at = mark
      joined = []
    },
  }
}
export type Reader = ReturnType<typeof createReader>
