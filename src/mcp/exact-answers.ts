// Keeps the numbers in the answers of MCP servers as they were written. The SDK parses the answers itself. So numbers that
// JavaScript would change are marked in the text before that, and put back into the message after that.
import type { Transport } from '@modelcontextprotocol/client'
import { markNumbers, putNumbers } from '../contract/exact-json.ts'

/** The fields whose content is only passed on. In all other fields, the SDK and we read numbers. */
const passedOn: ReadonlySet<string> = new Set(['structuredContent', 'inputSchema'])

/** A transport that hands over each message with the numbers that were marked in its text. */
export const withExactNumbers = (transport: Transport): Transport => {
  let take: Transport['onmessage']
  return Object.defineProperty(transport, 'onmessage', {
    set(handler: Transport['onmessage']) {
      take = handler
    },
    get: (): Transport['onmessage'] =>
      take &&
      ((message, extra) => {
        putNumbers(message, passedOn)
        take?.(message, extra)
      }),
  })
}

/** An event with marks. The lines of its data become one line; a line break in JSON is only a space. */
const markEvent = (event: string): string => {
  const lines = event.split(/\r\n|\r|\n/)
  const isData = (line: string) => line.startsWith('data:')
  const marked = markNumbers(
    lines
      .filter(isData)
      .map(line => line.slice('data:'.length))
      .join(' '),
  )
  if (marked === undefined) return event
  return [...lines.filter(line => !isData(line)), `data:${marked}`].join('\n')
}

const endOfEvent = /(\r\n\r\n|\n\n|\r\r)/
/** A text in pieces, with marks. `isEvents`: it is an event stream, whose events leave when they are whole. */
const marking = (isEvents: boolean): TransformStream<Uint8Array, Uint8Array> => {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let parts: string[] = []
  return new TransformStream({
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true })
      parts.push(text)
      // The end of an event may begin in the piece before.
      if (!isEvents || !/[\r\n]/.test(text)) return
      const events = parts.join('').split(endOfEvent)
      parts = [events.pop() ?? '']
      if (events.length > 0) controller.enqueue(encoder.encode(events.map(markEvent).join('')))
    },
    flush(controller) {
      const rest = parts.join('') + decoder.decode()
      controller.enqueue(encoder.encode(isEvents ? rest : (markNumbers(rest) ?? rest)))
    },
  })
}

/** The body of an answer with marks. Other bodies than JSON and event streams stay as they are. */
export const withMarks = (body: ReadableStream<Uint8Array>, contentType: string | null) => {
  const isEvents = contentType?.startsWith('text/event-stream') === true
  return isEvents || contentType?.startsWith('application/json') === true
    ? body.pipeThrough(marking(isEvents))
    : body
}
