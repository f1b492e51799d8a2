// Reads records in order: checks that each follows the one before, and joins records that came in parts.
import { type Content, unpackContent } from '../records/content.ts'
import { openRecord, originOf, UnfitRecord } from '../records/form.ts'
import { type Joined, join } from '../records/parts.ts'
import type { SharedRecord } from '../shared-log.ts'

/** A place in the shared log: the sequence and the digest of its record, and the last position of the log up to there. */
export type Mark = { sequence: number; digest: Buffer; position: number }

/** A record that was read. It counts as read when `advance` was called with it. */
export type Read = { mark: Mark; joined: Joined; content: Content | undefined }

const unpacked = (sequence: number, bytes: Buffer): Content => {
  try {
    return unpackContent(bytes)
  } catch (error) {
    throw new UnfitRecord(sequence, (error as Error).message)
  }
}

export const createReader = (key: Buffer, logId: string) => {
  const origin: Mark = { sequence: 0, digest: originOf(logId), position: 0 }
  let at = origin
  let joined: Joined = []
  return {
    at: (): Mark => at,
    /** Whether parts were read whose record is not whole yet. */
    isWithin: (): boolean => joined.length > 0,
    /** Opens the next record. Throws UnfitRecord. `content`: undefined for a part that is not the last one. */
    open(record: SharedRecord): Read {
      const { sequence } = record
      if (sequence !== at.sequence + 1)
        throw new UnfitRecord(sequence, 'does not follow the record before it', true)
      const { content: bytes, digest } = openRecord(key, at.digest, record)
      const mark = { sequence, digest, position: at.position }
      const content = unpacked(sequence, bytes)
      if (content.kind !== 'part') return { mark, joined: [], content }
      const [part = new Uint8Array()] = content.parts
      const next = join(joined, content.facts, part)
      return {
        mark,
        joined: next.joined,
        content: next.whole && unpacked(sequence, next.whole),
      }
    },
    advance(read: { mark: Mark; joined: Joined }): void {
      at = read.mark
      joined = read.joined
    },
    /** Goes on reading behind this place; absent: from the first record on. */
    goTo(mark: Mark = origin): void {
      at = mark
      joined = []
    },
  }
}
export type Reader = ReturnType<typeof createReader>
