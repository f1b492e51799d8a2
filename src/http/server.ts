// The HTTP server itself: its limits and timeouts, and its answers to requests that reach no route.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyReply, fastify } from 'fastify'
import { badRequest, requestTimeout } from './bad-request.ts'
import { longestMs } from './body/pace.ts'
import { answerOf } from './errors.ts'
import { setHeaders } from './head.ts'
import type { App } from './request.ts'
import { sendError } from './send-error.ts'
import { withTileAsOneSegment } from './tile-path.ts'

/** The length of the largest body, in bytes, of any request but a create. */
const otherBodiesLimit = 1024 * 1024
/** Milliseconds within which the whole head of a request must arrive. Then the connection is closed. */
const headersMs = 10_000
/**
 * Milliseconds for which a connection without a request stays open. Proxies keep their connections for a shorter time.
 */
const keptAliveMs = 72_000

/**
 * Milliseconds between two searches for connections that are late with a request. All connections that a search finds
 * are closed in one turn of the event loop, so frequent searches keep their number small.
 */
const lookForLateMs = 100

/** `bodyLimit` is the length of the largest body of a create, in bytes. */
export const createServer = (bodyLimit: number, newId: () => string): App => {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: true,
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => withTileAsOneSegment(url),
    bodyLimit: otherBodiesLimit,
    requestTimeout: longestMs(Math.max(bodyLimit, otherBodiesLimit)),
    keepAliveTimeout: keptAliveMs,
    http: { headersTimeout: headersMs, connectionsCheckingInterval: lookForLateMs },
    routerOptions: { maxParamLength: 4096 },
    frameworkErrors(error, _request, reply) {
      const id = newId()
      const plain = reply as unknown as FastifyReply
      setHeaders(plain)
      void plain.header('x-request-id', id)
      sendError(plain, answerOf(error, undefined))
    },
    clientErrorHandler(error, socket) {
      if (!socket.writable) return void socket.destroy()
      const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      // A connection that sent nothing is closed without an answer, because a client could mistake an answer for the
      // answer to its next request.
      if (isLate && socket.bytesRead === 0) return void socket.destroy()
      socket.end(isLate ? requestTimeout() : badRequest('the server cannot read this as an HTTP request'))
    },
  })
  // Node would answer an unknown `Expect` with 417 and no body. The header may be ignored, so the request is answered.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  return app.withTypeProvider<TypeBoxTypeProvider>() as unknown as App
}
