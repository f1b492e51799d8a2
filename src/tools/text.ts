// Reads the bytes of a file as text: all of them, or the first part.
import type { FileHandle } from 'node:fs/promises'

/** The first bytes of a file, and its size. */
export const firstBytes = async (
  handle: FileHandle,
  max: number,
): Promise<{ bytes: Buffer; size: number }> => {
  const { size } = await handle.stat()
  const bytes = Buffer.allocUnsafe(Math.min(size, max))
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled)
    if (bytesRead === 0) break // the file has become shorter
    filled += bytesRead
  }
  return { bytes: bytes.subarray(0, filled), size }
}

/** The bytes up to the end of the last complete character. */
export const wholeCharacters = (bytes: Buffer): Buffer => {
  let start = bytes.length
  while (start > 0 && bytes.length - start < 4) {
    const byte = bytes[--start] ?? 0
    if (byte < 0x80) break
    if (byte < 0xc0) continue // a byte inside of a character
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return start + length > bytes.length ? bytes.subarray(0, start) : bytes
  }
  return bytes
}

/** The text of the bytes; undefined if they are not valid UTF-8. */
export const utf8Text = (bytes: Buffer): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The beginning of a text: at most `max` bytes of UTF-8, never half a character. */
export const beginning = (text: string, max: number): string =>
  Buffer.byteLength(text) <= max ? text : `${wholeCharacters(Buffer.from(text).subarray(0, max))}`
