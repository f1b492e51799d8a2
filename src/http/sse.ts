// Server-sent events, framed by hand: every line of it is known to the clients we promised to serve.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { jsonLine } from '../bus/told.ts'
import type { Frame } from '../history/frames.ts'

/** A comment line without a blank line after it: some decoders take the blank line for the end of an event. */
export const heartbeat = ': heartbeat\n'
export const opening = ': open\n'

/** One frame of a task's stream; with `id` where a client may come back with Last-Event-ID. */
export const frameText = (frame: Frame, envelopeId: string, withId: boolean): string => {
  const id = withId ? `id: ${frame.sequence_number}\n` : ''
  const data = jsonLine(`{"jsonrpc":"2.0","id":${envelopeId},"result":${JSON.stringify(frame)}}`)
  return `event: ${frame.type}\n${id}data: ${data}\n\n`
}

/** A client that asked for the connection to close is not told that it stays. */
export const streamHeaders = (request: IncomingMessage): Record<string, string> => ({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: /\bclose\b/i.test(request.headers.connection ?? '') ? 'close' : 'keep-alive',
  'x-accel-buffering': 'no',
})

/**
 * Writes chunks as they come, waiting for a slow reader. Resolves when the chunks end and the last byte was handed
 * over, or the connection closed.
 */
export const pour = async (response: ServerResponse, chunks: AsyncIterable<string>): Promise<void> => {
  for await (const chunk of chunks) {
    if (response.destroyed) return
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')])
  }
  response.end()
}
