// The HTTP server itself: its limits and timeouts, and how it reads paths.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { fastify } from 'fastify'
import { a2aUrl } from '../../doors/a2a/path.ts'
import type { Place } from '../answer/errors.ts'
import type { App } from '../request/request.ts'
import { withTileAsOneSegment } from '../routes/tile-path.ts'
import {
  createEndBroken,
  headersMs,
  ignoreExpectations,
  keptAliveMs,
  lookForLateMs,
  otherBodiesLimit,
  requestMs,
} from './connections.ts'

// Makes URLs decodable: a path that cannot be decoded is read as it is written. So an id with a wrong percent sign gets
// the same answer as any other id that does not exist.

/** The URL of a request, with a path that can be decoded. */
const decodableUrl = (url: string): string => {
  if (!url.includes('%')) return url
  const [path = '', ...query] = url.split('?')
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?')
  }
}

/** `bodyLimit` is the length of the largest body of a create, in bytes. */
export const createServer = (bodyLimit: number, place: Place): App => {
  const app = fastify({
    logger: false,
    exposeHeadRoutes: true,
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => a2aUrl(withTileAsOneSegment(decodableUrl(url))),
    bodyLimit: otherBodiesLimit,
    requestTimeout: requestMs(bodyLimit),
    keepAliveTimeout: keptAliveMs,
    http: { headersTimeout: headersMs, connectionsCheckingInterval: lookForLateMs },
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER }, // Node limits the whole head
    clientErrorHandler: createEndBroken(place),
  })
  ignoreExpectations(app.server)
  return app.withTypeProvider<TypeBoxTypeProvider>() as unknown as App
}
