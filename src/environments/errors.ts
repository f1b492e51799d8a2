// What a process says on its stderr: read, so that it is not held up, and its end kept, for the reason when it ends.
import type { Readable } from 'node:stream'
import type { Timers } from '../contract/ports.ts'

const kept = 8 << 10
/** Bytes that are read at once; one who says more waits for a moment, and costs us little. */
const mostAtOnce = 1 << 20
const breakMs = 250
const longestLine = 200

export type Errors = {
  /** The last 8 KiB. */
  text(): string
  /** Its last line that says something; empty: none. */
  lastLine(): string
  /** Reads on without breaks: the process has ended. */
  drain(): void
}

export const keepErrors = (stream: Readable, timers: Pick<Timers, 'after'>): Errors => {
  let tail = Buffer.alloc(0)
  let room = mostAtOnce
  let hasEnded = false
  let cancelBreak = () => {}
  const goOn = () => {
    room = mostAtOnce
    stream.resume()
  }
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk.subarray(-kept)]).subarray(-kept)
    room -= chunk.length
    if (room > 0 || hasEnded) return
    stream.pause()
    cancelBreak = timers.after(breakMs, goOn)
  })
  const text = () => tail.toString('utf8').replace(/^\ufffd+/, '') // it may begin inside of a character
  return {
    text,
    lastLine() {
      const lines = text()
        .split('\n')
        .map(line => line.trim())
      return (lines.findLast(line => line !== '') ?? '').slice(0, longestLine)
    },
    drain() {
      hasEnded = true
      cancelBreak()
      stream.resume()
    },
  }
}
