// Writes lines to a new file, many at a time.
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'

/** Lines are written when they have this many characters together. */
const enough = 1024 * 1024

/** Makes the file, which must not exist. Throws errors of the system. */
export const appendLines = (path: string) => {
  const file = openSync(path, 'wx', 0o600)
  let waiting: string[] = []
  let chars = 0
  const write = (): void => {
    const bytes = Buffer.from(waiting.join(''))
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    waiting = []
    chars = 0
  }
  return {
    add(line: string): void {
      waiting.push(`${line}\n`)
      chars += line.length
      if (chars >= enough) write()
    },
    /** Writes the waiting lines. All lines are on the disk when this returns. */
    close(): void {
      write()
      fsyncSync(file)
      closeSync(file)
    },
  }
}
