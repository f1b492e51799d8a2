// Bytes of a snapshot as text: compressed, and never longer than one message of an environment may be.
import { gunzipSync, gzipSync } from 'node:zlib'

const mostPacked = 8 << 20
const mebibytes = (bytes: number): string => `${(bytes / (1 << 20)).toFixed(1)} MiB`

/** Base64 of gzip. Throws when it is more than 8 MiB compressed: such a state cannot be kept. */
export const pack = (bytes: Buffer): string => {
  const packed = gzipSync(bytes, { level: 1 })
  if (packed.length > mostPacked) {
    throw new Error(
      `A snapshot may have ${mebibytes(mostPacked)} compressed, and has ${mebibytes(packed.length)}`,
    )
  }
  return packed.toString('base64')
}

/** Throws when it is not what `pack` made, or more than `most` bytes. */
export const unpack = (text: string, most: number): Buffer =>
  gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: most })
