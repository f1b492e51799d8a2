// How long connections may take and stay, and what those get that send no request. The server of a shard uses this, and
// so does the server of a node that passes requests on.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { badRequest, requestTimeout } from './bad-request.ts'
import { longestMs } from './body/pace.ts'

/** The length of the largest body, in bytes, of any request but a create. */
export const otherBodiesLimit = 1024 * 1024
/** Milliseconds within which the whole head of a request must arrive. Then the connection is closed. */
export const headersMs = 10_000
/**
 * Milliseconds for which a connection without a request stays open. Proxies keep their connections for a shorter time.
 */
export const keptAliveMs = 72_000

/**
 * Milliseconds between two searches for connections that are late with a request. All connections that a search finds
 * are closed in one turn of the event loop, so frequent searches keep their number small.
 */
export const lookForLateMs = 100

/** Milliseconds within which a request must arrive. `bodyLimit`: the length of the largest body of a create, in bytes. */
export const requestMs = (bodyLimit: number): number => longestMs(Math.max(bodyLimit, otherBodiesLimit))

/** Answers what is no request, and closes the connection. */
export const endBroken = (error: Error & { code?: string }, socket: Socket): void => {
  if (!socket.writable) return void socket.destroy()
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  // A connection that sent nothing is closed without an answer, because a client could mistake an answer for the
  // answer to its next request.
  if (isLate && socket.bytesRead === 0) return void socket.destroy()
  socket.end(isLate ? requestTimeout() : badRequest('the server cannot read this as an HTTP request'))
}

/** Node would answer an unknown `Expect` with 417 and no body. The header may be ignored, so the request is answered. */
export const ignoreExpectations = (server: Server): void =>
  void server.on('checkExpectation', (request, response) => server.emit('request', request, response))
