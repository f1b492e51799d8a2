/** Bytes that many streams send: as they are, and as a chunk of a chunked body. Empty bytes are not allowed. */
export type Prepared = { plain: Buffer; chunk: Buffer }

const lineEnd = Buffer.from('\r\n')
export const prepared = (plain: Buffer): Prepared => ({
  plain,
  chunk: Buffer.concat([Buffer.from(`${plain.length.toString(16)}\r\n`), plain, lineEnd]),
})
