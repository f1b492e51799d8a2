import type { ReadBuffer, Transport } from '@modelcontextprotocol/client'
import { mostBytes } from './limits.ts'

type Message = Parameters<NonNullable<Transport['onmessage']>>[0]
type Handlers = { message: (message: Message) => void; error: (error: Error) => void }

/** Reads the messages of a server, one a line, and judges how much it may say without being asked. */
export const createMessages = (buffer: ReadBuffer, { message: take, error }: Handlers) => {
  /** Ids of our requests that have no answer yet. */
  const asked = new Set<string | number>()
  /** Bytes that have come since its last answer to us: nobody asked for these. */
  let unasked = 0
  return {
    /** Remembers a request of ours: its answer may be long. */
    sent(message: Message): void {
      if ('method' in message && 'id' in message) asked.add(message.id)
    },
    /** Throws when the server says too much. */
    read(chunk: Buffer): void {
      unasked += chunk.length
      if (unasked > mostBytes) throw new Error('it says too much')
      buffer.append(chunk)
      for (;;) {
        // A line that is JSON but no message is an error; one that is no JSON is skipped: some servers print to stdout.
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
