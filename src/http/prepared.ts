/** Bytes for any number of streams: as they are, and as one chunk of a chunked body. They must not be empty. */
export type Prepared = { plain: Buffer; chunk: Buffer }

const lineEnd = Buffer.from('\r\n')
export const prepared = (plain: Buffer): Prepared => ({
  plain,
  chunk: Buffer.concat([Buffer.from(`${plain.length.toString(16)}\r\n`), plain, lineEnd]),
})
