import type { ReadBuffer, Transport } from '@modelcontextprotocol/client'
import { markNumbers } from '../contract/exact-json.ts'
import { maxBytes } from './limits.ts'

type Message = Parameters<NonNullable<Transport['onmessage']>>[0]
type Handlers = { message: (message: Message) => void; error: (error: Error) => void }

/** Reads the messages of a server, one on each line, and limits what it sends without a request. */
export const createMessages = (buffer: ReadBuffer, { message: take, error }: Handlers) => {
  /** Ids of our open requests. */
  const asked = new Set<string | number>()
  /** How many bytes have come since the server's last answer. */
  let unasked = 0
  /** The beginning of a line that is not whole yet. */
  let parts: Buffer[] = []
  return {
    /** Called with each message that is sent to the server. Remembers the ids of requests. */
    sent(message: Message): void {
      if ('method' in message && 'id' in message) asked.add(message.id)
    },
    /** Throws when the server sends too much. */
    read(chunk: Buffer): void {
      unasked += chunk.length
      if (unasked > maxBytes) throw new Error('the server has sent too much without an answer')
      parts.push(chunk)
      const end = chunk.lastIndexOf('\n')
      if (end === -1) return
      const lines = Buffer.concat(parts)
      const rest = chunk.length - end - 1
      parts = rest === 0 ? [] : [chunk.subarray(end + 1)]
      const text = lines.toString('utf8', 0, lines.length - rest)
      buffer.append(
        Buffer.from(
          text
            .split('\n')
            .map(line => markNumbers(line) ?? line)
            .join('\n'),
        ),
      )
      for (;;) {
        // JSON that is no message is an error. A line that is no JSON is skipped: some servers print to stdout.
        try {
          const message = buffer.readMessage()
          if (message === null) return
          if ('id' in message && message.id !== undefined && asked.delete(message.id)) unasked = 0
          take(message)
        } catch (problem) {
          error(problem as Error)
        }
      }
    },
  }
}
