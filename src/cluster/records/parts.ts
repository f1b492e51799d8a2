// Divides records that are too long for the servers: a content is sent in parts, and the last part commits the record.
import { type Facts, packContent } from './content.ts'
import { frameBytes } from './form.ts'

/** Room for what the record of a part has in addition to the bytes of the part. No such record needs more. */
const partBytes = frameBytes + 64

/** Divides a content into the contents of several records. A content that fits into one record stays whole. */
export const inParts = (content: Buffer, maxBytes: number): Buffer[] => {
  if (content.length + frameBytes <= maxBytes) return [content]
  const size = maxBytes - partBytes
  const of = Math.ceil(content.length / size)
  return Array.from({ length: of }, (_, n) =>
    packContent({ kind: 'part', facts: { n, of }, parts: [content.subarray(n * size, (n + 1) * size)] }),
  )
}

/** The parts of a content that were read so far. */
export type Joined = readonly Uint8Array[]

/**
 * Adds a part. Parts that do not follow each other belong to a record that was never committed, and are dropped.
 * `whole`: the content, when this part was the last one.
 */
export const join = (
  joined: Joined,
  { n, of }: Facts['part'],
  part: Uint8Array,
): { joined: Joined; whole?: Buffer } => {
  if (n !== joined.length) return { joined: n === 0 ? [part] : [] }
  const all = [...joined, part]
  return n + 1 === of ? { joined: [], whole: Buffer.concat(all) } : { joined: all }
}
