// Bytes of a state as earlier versions have kept it: base64 of gzip.
import { gunzipSync } from 'node:zlib'

/** Throws when it is no such text, or more than `most` bytes. */
export const unpack = (text: string, most: number): Buffer =>
  gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: most })
