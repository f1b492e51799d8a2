// The time limits of connections, and the answer to bytes that are no HTTP request. The server that answers requests
// uses this file, and so does the server of a cluster node that passes requests on.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Refusal } from '../../contract/refusals.ts'
import type { Place } from '../answer/errors.ts'
import { wholeAnswer } from '../answer/whole-answer.ts'
import { longestMs } from '../body/pace.ts'

/** The length of the largest body, in bytes, of any request but a create. */
export const otherBodiesLimit = 1024 * 1024
/** Milliseconds within which the whole head of a request must arrive. Otherwise the connection is closed. */
export const headersMs = 10_000
/** Node does not tell whether the head or the body of a request was late. */
const tooLate = 'the request came too slowly'
const inTime = `Send the head within ${headersMs / 1000} s, and the body with at least 64 KiB per second.`
/** A connection without a request stays open for this many milliseconds. Proxies close idle connections earlier. */
export const keptAliveMs = 72_000

/**
 * Milliseconds between two searches for connections that are late with a request. All connections that a search finds
 * are closed in one turn of the event loop, so frequent searches keep their number small.
 */
export const lookForLateMs = 100

/** Milliseconds within which a request must arrive. `bodyLimit`: the length of the largest create, in bytes. */
export const requestMs = (bodyLimit: number): number => longestMs(Math.max(bodyLimit, otherBodiesLimit))

/** Makes what answers bytes that are no request, or a request that came too late, and closes the connection. */
export const createEndBroken =
  (place: Place) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (!socket.writable) return void socket.destroy()
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    // A connection that sent nothing is closed without an answer, because a client could mistake an answer for the
    // answer to its next request.
    if (isLate && socket.bytesRead === 0) return void socket.destroy()
    const refusal = isLate
      ? new Refusal('BodyTooSlow', undefined, tooLate, { hint: inTime })
      : new Refusal('NotHttp')
    socket.end(wholeAnswer(refusal, place))
  }

/** Node would answer an unknown `Expect` with 417. HTTP allows servers to ignore the header, so this server does. */
export const ignoreExpectations = (server: Server): void =>
  void server.on('checkExpectation', (request, response) => server.emit('request', request, response))
