// Sends answers that a node gives without the routes of the server: through a response, or on a bare socket. They have
// the same form as the answers of the routes.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '../../contract/refusals.ts'
import { type Answer, answerOf, type Form } from '../../http/answer/errors.ts'

/** An answer, or a refusal from which it is made. */
export type Said = Answer | Refusal

type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers'>
/** An EventSource never connects again after an error answer, but it does after a broken connection. */
const isEventSource = ({ method, headers }: Asked): boolean =>
  method === 'GET' && headers.accept === 'text/event-stream'

export const createAnswerSender = (
  formOf: (request: Asked) => Form & { headers: Record<string, string> },
) => {
  const written = (request: Asked, said: Said) => {
    const form = formOf(request)
    const { status, headers, body } = said instanceof Refusal ? answerOf(said, form) : said
    const text = JSON.stringify(body)
    return {
      status,
      text,
      head: {
        ...form.headers,
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(Buffer.byteLength(text)),
        ...headers,
      },
    }
  }
  return {
    /** The headers that every answer to this request has. */
    headersOf: (request: Asked): Record<string, string> => formOf(request).headers,
    send(response: ServerResponse, said: Said): void {
      const { req } = response
      if (response.headersSent) return void response.destroy()
      const { status, head, text } = written(req, said)
      if (status >= 500 && isEventSource(req)) return void req.socket.destroy()
      response.writeHead(status, head).end(text)
    },
    /** Sends an answer to a request on its bare socket, and ends the connection. */
    end(socket: Duplex, request: Asked, said: Said): void {
      const { status, head, text } = written(request, said)
      const lines = Object.entries({ ...head, connection: 'close' }).map(
        ([name, value]) => `${name}: ${value}`,
      )
      socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
    },
  }
}
export type Answers = ReturnType<typeof createAnswerSender>
