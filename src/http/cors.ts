// CORS for the origins that the operator names. Without any, a browser gives the API only to pages of its own host.
// Credentials are never allowed: callers authenticate by a token, which no browser adds on its own.

import { everyAnswer } from '../contract/answer-headers.ts'
import { createOrigins } from './origins.ts'
import type { App } from './request.ts'

const exposed = [
  'X-Request-Id',
  'X-Task-Id',
  ...Object.keys(everyAnswer),
  'X-Ignored-Query',
  'Content-Location',
  'Link',
  'Retry-After',
  'Idempotency-Replayed',
].join(', ')
const methods = 'GET, POST, DELETE'
/** How long a browser may remember the answer to a preflight, seconds. */
const rememberedFor = '600'

export const allowOrigins = (app: App, allowed: readonly string[]): void => {
  if (allowed.length === 0) return
  const { isAllowed } = createOrigins(allowed)
  app.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': asks } = request.headers
    void reply.header('vary', 'Origin')
    if (origin === undefined || !isAllowed(origin)) return done()
    void reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed })
    if (request.method !== 'OPTIONS' || asks === undefined) return done()
    const wanted = request.headers['access-control-request-headers']
    void reply
      .code(204)
      .headers({
        'access-control-allow-methods': methods,
        ...(wanted === undefined ? {} : { 'access-control-allow-headers': wanted }),
        'access-control-max-age': rememberedFor,
      })
      .send()
  })
}
