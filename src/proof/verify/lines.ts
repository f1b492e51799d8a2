// Reads a file line by line, so that long files need little memory.
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { Misfit } from '../misfit.ts'

const { O_NONBLOCK, O_RDONLY } = constants
const chunkBytes = 1024 * 1024
/** A line may have at most this many characters. The largest events are far shorter. */
const longestLine = 256 * 1024 * 1024

/**
 * The lines of a file, without line ends. The last line is empty when the file ends with a line end. Only the first
 * `bytes` of the file are read. Throws Misfit for a line that is too long, and errors of the system.
 */
export function* linesIn(path: string, bytes = Number.POSITIVE_INFINITY): Generator<string> {
  const file = openSync(path, O_RDONLY | O_NONBLOCK)
  try {
    const [decoder, chunk] = [new StringDecoder('utf8'), Buffer.alloc(Math.min(bytes, chunkBytes))]
    let rest = ''
    for (let at = 0; at < bytes; ) {
      const read = readSync(file, chunk, 0, Math.min(chunk.length, bytes - at), at)
      if (read === 0) break
      at += read
      const lines = (rest + decoder.write(chunk.subarray(0, read))).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
      if (rest.length > longestLine)
        throw new Misfit(`${path} has a line of more than ${longestLine} characters`)
    }
    yield rest + decoder.end()
  } finally {
    closeSync(file)
  }
}
