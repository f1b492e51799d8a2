// Writes server-sent events as text. The server does this without a library, because clients that we support depend on
// every line.
import type { IncomingMessage } from 'node:http'
import { jsonLine } from '../../bus/published.ts'
import type { Frame } from '../../history/frames.ts'
import { isLong, joined, type Pieces, type Text } from '../../platform/pieces.ts'
import { frameText } from './frame-text.ts'

/** A comment line. No blank line follows it, because some decoders take a blank line for the end of an event. */
export const heartbeat = ': heartbeat\n'
export const opening = ': open\n'

/**
 * One frame of a task's stream as a server-sent event. It has a line `id:` if a client may continue with Last-Event-ID.
 */
export const frameEvent = (frame: Frame, envelopeId: string, withId: boolean): Text => {
  const id = withId ? `id: ${frame.sequence_number}\n` : ''
  const head = `event: ${frame.type}\n${id}data: {"jsonrpc":"2.0","id":${jsonLine(envelopeId)},"result":`
  return joined(head, oneLine(frameText(frame)), '}\n\n')
}
const oneLine = (text: Text): Text => (isLong(text) ? eachOneLine(text) : jsonLine(text))
async function* eachOneLine(text: Pieces) {
  for await (const piece of text) yield jsonLine(String(piece))
}

/** The headers of a stream. A client that asked for the connection to be closed does not get `keep-alive`. */
export const streamHeaders = (request: IncomingMessage): Record<string, string> => ({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: /\bclose\b/i.test(request.headers.connection ?? '') ? 'close' : 'keep-alive',
  'x-accel-buffering': 'no',
})
