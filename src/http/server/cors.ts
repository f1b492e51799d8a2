// CORS for the origins that the operator names. If the operator names none, a browser lets only pages of the server's
// own host use the API. Credentials are never allowed: callers authenticate by a token, which a browser does not add by
// itself.

import { everyAnswer } from '../../contract/answer-headers.ts'
import type { App } from '../request/request.ts'
import { createOrigins } from './origins.ts'

const exposed = [
  'X-Request-Id',
  'X-Task-Id',
  ...Object.keys(everyAnswer),
  'X-Ignored-Query',
  'X-Ignored-Fields',
  'X-Did-You-Mean',
  'Preference-Applied',
  'Content-Location',
  'Link',
  'Retry-After',
  'Idempotency-Replayed',
  'Mcp-Session-Id',
  'WWW-Authenticate',
].join(', ')
const methods = 'GET, POST, PATCH, DELETE'
/** The number of seconds for which a browser may remember the answer to a preflight. */
const rememberedFor = '600'

/** Makes the function that gives the headers which let a page of an origin read an answer. */
export const createCors = (allowed: readonly string[]) => {
  const { isAllowed } = createOrigins(allowed)
  return (origin: string | undefined): Record<string, string> => ({
    ...(allowed.length === 0 ? {} : { vary: 'Origin' }),
    ...(origin === undefined || !isAllowed(origin)
      ? {}
      : { 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed }),
  })
}

export const allowOrigins = (app: App, allowed: readonly string[]): void => {
  if (allowed.length === 0) return
  const corsOf = createCors(allowed)
  app.addHook('onRequest', (request, reply, done) => {
    const { origin, 'access-control-request-method': asks } = request.headers
    const cors = corsOf(origin)
    void reply.headers(cors)
    const isPreflight = request.method === 'OPTIONS' && asks !== undefined
    if (!isPreflight || cors['access-control-allow-origin'] === undefined) return done()
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
