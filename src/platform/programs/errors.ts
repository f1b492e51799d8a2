// Reads the stderr of a process, because a process whose stderr is full stands still. Keeps the last part of the text,
// which may tell why the process ended.
import type { Readable } from 'node:stream'
import type { Timers } from '../../contract/ports.ts'

/** This many bytes are kept from the end of stderr. */
const kept = 8 << 10
/**
 * Bytes after which reading pauses for `breakMs`. So a process that writes without end takes little of the server's
 * time.
 */
const maxLineBytes = 1 << 20
/** The length of a pause, in milliseconds. */
const breakMs = 250
/** The greatest length of the line that `lastLine` returns, in characters. */
const longestLine = 200

export type Errors = {
  /** The last 8 KiB. */
  text(): string
  /** The last line that is not blank; empty: there is none. */
  lastLine(): string
  /** Called when the process has ended. Reads the rest without pauses. */
  drain(): void
}

export const readErrors = (stream: Readable, timers: Pick<Timers, 'after'>): Errors => {
  let tail = Buffer.alloc(0)
  let room = maxLineBytes
  let hasEnded = false
  let cancelBreak = () => {}
  const goOn = () => {
    room = maxLineBytes
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
