// Decodes a state as earlier versions stored it: base64 of gzip.
import { gunzipSync } from 'node:zlib'

/** Throws if the text is not in this form, or holds more than `max` bytes. */
export const unpack = (text: string, max: number): Buffer =>
  gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: max })
