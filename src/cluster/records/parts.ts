// Records that are longer than the servers take: their content is sent in parts, and the last part commits them.
import { type Facts, packContent } from './content.ts'
import { frameBytes } from './form.ts'

/** More bytes than a record of a part needs beside its bytes. */
const partBytes = frameBytes + 64

const lengthOf = (content: readonly Uint8Array[]): number =>
  content.reduce((sum, { length }) => sum + length, 0)

/** The contents of the records that carry a content; one when it is short enough. */
export const inParts = (content: Uint8Array[], maxBytes: number): Uint8Array[][] => {
  if (lengthOf(content) + frameBytes <= maxBytes) return [content]
  const whole = Buffer.concat(content)
  const size = maxBytes - partBytes
  const of = Math.ceil(whole.length / size)
  return Array.from({ length: of }, (_, n) =>
    packContent({ kind: 'part', facts: { n, of }, parts: [whole.subarray(n * size, (n + 1) * size)] }),
  )
}

/** The parts of a content that were read so far. */
export type Joined = readonly Uint8Array[]

/**
 * Adds a part. Parts that do not follow each other are those of a record that was never committed, and are left out.
 * `whole`: the content, when this was its last part.
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
