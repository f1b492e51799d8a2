// The HTTP server itself: its limits and timeouts, and its answers to requests that reach no route.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyReply, fastify } from 'fastify'
import {
  endBroken,
  headersMs,
  ignoreExpectations,
  keptAliveMs,
  lookForLateMs,
  otherBodiesLimit,
  requestMs,
} from './connections.ts'
import { answerOf } from './errors.ts'
import { setHeaders } from './head.ts'
import type { App } from './request.ts'
import { sendError } from './send-error.ts'
import { withTileAsOneSegment } from './tile-path.ts'

/** `bodyLimit` is the length of the largest body of a create, in bytes. */
export const createServer = (bodyLimit: number, newId: () => string): App => {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: true,
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => withTileAsOneSegment(url),
    bodyLimit: otherBodiesLimit,
    requestTimeout: requestMs(bodyLimit),
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
    clientErrorHandler: endBroken,
  })
  ignoreExpectations(app.server)
  return app.withTypeProvider<TypeBoxTypeProvider>() as unknown as App
}
