// The HTTP server itself: its limits and timeouts, and how it reads paths.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { fastify } from 'fastify'
import {
  endBroken,
  headersMs,
  ignoreExpectations,
  keptAliveMs,
  lookForLateMs,
  otherBodiesLimit,
  requestMs,
} from './connections.ts'
import { decodableUrl } from './decodable-url.ts'
import type { App } from './request.ts'
import { withTileAsOneSegment } from './tile-path.ts'

/** `bodyLimit` is the length of the largest body of a create, in bytes. */
export const createServer = (bodyLimit: number): App => {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: true,
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => withTileAsOneSegment(decodableUrl(url)),
    bodyLimit: otherBodiesLimit,
    requestTimeout: requestMs(bodyLimit),
    keepAliveTimeout: keptAliveMs,
    http: { headersTimeout: headersMs, connectionsCheckingInterval: lookForLateMs },
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER }, // Node limits the whole head
    clientErrorHandler: endBroken,
  })
  ignoreExpectations(app.server)
  return app.withTypeProvider<TypeBoxTypeProvider>() as unknown as App
}
