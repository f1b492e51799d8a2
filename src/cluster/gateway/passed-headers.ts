// Chooses the headers of a request or an answer that a node passes on, in their order and with their spelling.
import type { IncomingMessage } from 'node:http'

/** Headers that concern one connection only. */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'upgrade',
])
/** Headers that a client cannot take out of its request by naming them in `Connection`. */
const needed = new Set(['host', 'content-length', 'transfer-encoding'])

const namedIn = (connection = ''): string[] => connection.split(',').map(name => name.trim().toLowerCase())

/**
 * Names and values in turn, as in `rawHeaders`, without headers of the connection and headers that `isDropped` names.
 */
const passed = ({ rawHeaders, headers }: IncomingMessage, isDropped: (name: string) => boolean): string[] => {
  const named = new Set(namedIn(headers.connection).filter(name => !needed.has(name)))
  return rawHeaders.filter((_, n) => {
    const name = (rawHeaders[n - (n % 2)] ?? '').toLowerCase()
    return !ofConnection.has(name) && !named.has(name) && !isDropped(name)
  })
}

/**
 * The headers of a request for the next node. `Expect` is left out: this node answers it itself when the next node
 * takes the request.
 */
export const requestHeaders = (request: IncomingMessage): string[] => [
  ...passed(request, name => name === 'expect'),
  'x-forwarded-for',
  request.socket.remoteAddress ?? 'unknown',
]

/** The headers of an answer for the client. `Transfer-Encoding` is left out, since this node makes new chunks. */
export const answerHeaders = (answer: IncomingMessage): string[] =>
  passed(answer, name => name === 'transfer-encoding' || name.startsWith('reprise-'))
