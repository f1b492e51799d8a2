// Sends an answer that a node gives without the routes of the server: through a response, or on a bare socket.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { everyAnswer } from '../../contract/answer-headers.ts'
import type { Answer } from '../../http/errors.ts'

const partsOf = ({ headers, body }: Answer, id: string) => {
  const text = JSON.stringify(body)
  const always = Object.fromEntries(Object.entries(everyAnswer).map(([name, { value }]) => [name, value]))
  return {
    text,
    head: {
      ...always,
      'x-request-id': id,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      ...headers,
    },
  }
}

/** An EventSource never connects again after an error answer, but it does after a broken connection. */
const isEventSource = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.accept === 'text/event-stream'

/** `id`: the id of the request. */
export const sendAnswer = (response: ServerResponse, answer: Answer, id: string): void => {
  const { req } = response
  if (response.headersSent) return void response.destroy()
  if (answer.status >= 500 && isEventSource(req)) return void req.socket.destroy()
  const { text, head } = partsOf(answer, id)
  response.writeHead(answer.status, head).end(text)
}

/** Sends an answer on a bare socket, and ends the connection. */
export const endSocket = (socket: Duplex, answer: Answer, id: string): void => {
  const { text, head } = partsOf(answer, id)
  const lines = Object.entries({ ...head, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${answer.status} Refused\r\n${lines.join('\r\n')}\r\n\r\n${text}`)
}
