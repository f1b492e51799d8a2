// Splits the bytes that a program sends into lines.
import { StringDecoder } from 'node:string_decoder'
import { AuthorsError } from '../../contract/environment.ts'

/** The greatest length, in bytes, of a line that a program may send. */
export const longestLine = 16 << 20

/** Thrown for a line of a program that is no message, and for a message that is invalid or unexpected. */
export class Unfit extends AuthorsError {}

const newline = 0x0a

/** Calls back for each line that is not empty. Throws Unfit for a line longer than `longest`. */
export const createLines = (
  take: (line: string) => void,
  longest = longestLine,
): ((chunk: Buffer) => void) => {
  let parts: string[] = []
  let length = 0
  const decoder = new StringDecoder('utf8')
  const add = (piece: Buffer) => {
    length += piece.length
    if (length > longest) throw new Unfit('a line longer than 16 MiB')
    parts.push(decoder.write(piece))
  }
  return chunk => {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end))
      const line = parts.join('') + decoder.end()
      parts = []
      length = 0
      start = end + 1
      if (line.trim() !== '') take(line)
    }
    if (start < chunk.length) add(chunk.subarray(start))
  }
}
