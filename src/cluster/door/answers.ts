// Answers that a node gives without the routes of the server: through a response, or as text for a bare socket.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { everyAnswer } from '../../contract/answer-headers.ts'
import { Refusal, type RefusalName, refusals } from '../../contract/refusals.ts'
import { type Answer, answerOf } from '../../http/errors.ts'
import { notOwnerHeader } from './inside-headers.ts'

const refused = (name: RefusalName, message?: string): Answer =>
  answerOf(new Refusal(name, undefined, message), undefined)

export const notFound: Answer = refused('RouteNotFound')
export const isStopping: Answer = refused('ShuttingDown')
export const noOwner: Answer = refused(
  'StorageDown',
  'no node of the cluster owns the event log at the moment, and nothing was done: send the request again in a moment',
)
export const ownerLost: Answer = refused(
  'StorageDown',
  'the node that had this request was lost before it answered. The request may have happened: send it again with the same Idempotency-Key',
)
export const isAlive: Answer = { status: 200, headers: {}, body: { status: 'ok' } }
export const unreadable: Answer = {
  status: 400,
  headers: {},
  body: { code: refusals.BodyTooSlow.code, message: 'the server cannot read this as an HTTP request' },
}
/** The answer to a request that may not be sent to a further node. */
export const notOwner = (node: string, why: string): Answer => ({
  status: 508,
  headers: { 'retry-after': '1', [notOwnerHeader]: node },
  body: {
    code: refusals.Fault.code,
    message: `this node does not own the event log, and ${why}: send the request again in a moment`,
  },
})

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
