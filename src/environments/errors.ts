// Reads the stderr of a process, so that the process never blocks, and keeps its end for the reason of the process's
// end.
import type { Readable } from 'node:stream'
import type { Timers } from '../contract/ports.ts'

const kept = 8 << 10
/** Bytes that are read at once. A process that writes more waits for a moment, and costs little time. */
const mostAtOnce = 1 << 20
const breakMs = 250
const longestLine = 200

export type Errors = {
  /** The last 8 KiB. */
  text(): string
  /** The last line that is not blank; empty: there is none. */
  lastLine(): string
  /** Reads without pauses: the process has ended. */
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
  const text = () => tail.toString('utf8').replace(/^\ufffd+/, '') // the kept bytes may begin inside of a character
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
