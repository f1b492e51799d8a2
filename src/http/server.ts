// The HTTP server itself: its limits and times, and how it answers what reaches no route.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyReply, fastify } from 'fastify'
import { badRequest, requestTimeout } from './bad-request.ts'
import { longestMs } from './body/pace.ts'
import { answerOf } from './errors.ts'
import { setHeaders } from './head.ts'
import type { App } from './request.ts'
import { sendError } from './send-error.ts'

const otherBodiesLimit = 1024 * 1024
/** A connection that says nothing, or not the whole head of a request, is closed after this time. */
const headersMs = 10_000
/** A connection without a request stays open for this time: longer than proxies keep theirs. */
const keptAliveMs = 72_000

/** Milliseconds between two looks for late connections. All that are found are closed in one turn, so few may be late at once. */
const lookForLateMs = 100

/** `bodyLimit`: of the body of a create. */
export const createServer = (bodyLimit: number, newId: () => string): App =>
  fastify({
    logger: false,
    exposeHeadRoutes: true,
    return503OnClosing: false,
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
      // A connection that said nothing is closed without a word: its owner may take one for the answer to its next request.
      if (isLate && socket.bytesRead === 0) return void socket.destroy()
      socket.end(isLate ? requestTimeout() : badRequest('this is not HTTP that the server understands'))
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App
