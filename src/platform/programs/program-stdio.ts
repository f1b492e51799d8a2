// Standard input and output belong to the protocol. Whatever the code of a user prints goes to standard error, and its own
// standard input is empty.
import { writeSync } from 'node:fs'
import { Readable } from 'node:stream'
import { createLines } from './lines.ts'

const stdoutFd = 1

/** Writes without the event loop, so that it works even during a step that never yields. A full pipe is tried again. */
const writeAll = (bytes: Buffer): void => {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(stdoutFd, bytes, written)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

export type Stdio = {
  /** Sends one line; the text must be JSON. */
  send(text: string): void
  onLine(take: (line: string) => void): void
  onEnd(job: () => void): void
}

export const takeStdio = (): Stdio => {
  const input = process.stdin
  Object.defineProperty(process, 'stdin', { value: Readable.from([]) })
  Object.defineProperty(process, 'stdout', { get: () => process.stderr })
  return {
    send: text => writeAll(Buffer.from(`${text}\n`)),
    onLine: take => input.on('data', createLines(take, Number.POSITIVE_INFINITY)),
    onEnd: job => input.on('close', job),
  }
}
