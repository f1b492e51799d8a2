// Writes a line for the operator and updates the metrics when a request has ended. Of the caller's data, the line and
// the metrics contain only the method and the id of the request: no path, query, header or body.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Gate, Serving } from '../doors.ts'
import type { App } from './request.ts'

/** Milliseconds after which a GET that is not a stream is reported with a warning. */
const slowMs = 1000

const isSlow = (request: FastifyRequest, reply: FastifyReply, ms: number): boolean =>
  // Streams and commands do not count, because a stream takes as long as its reader reads, and a command as long as its
  // task runs.
  request.method === 'GET' && reply.getHeader('content-length') !== undefined && ms >= slowMs

export const watchRequests = (
  app: App,
  { report, verbose, requests }: Pick<Gate, 'report' | 'verbose' | 'requests'>,
  { stopping }: Pick<Serving, 'stopping'>,
): void => {
  const over = (request: FastifyRequest, reply: FastifyReply, since: number) => {
    const { raw } = reply
    const { method, routeOptions } = request
    const route = routeOptions.url ?? 'none'
    const status = raw.headersSent ? raw.statusCode : 'none'
    const ms = performance.now() - since
    requests.end({ method, route, status }, ms / 1000)
    const failed = raw.headersSent && raw.statusCode >= 500
    // These errors are expected: a stopping server refuses all requests, and a server that is not ready answers each
    // probe with 503.
    const isExpected = stopping.aborted || routeOptions.config.access === 'open'
    const isWorthIt = (failed && !isExpected) || isSlow(request, reply, ms)
    if (!isWorthIt && !verbose) return
    report(isWorthIt ? 'warn' : 'debug', 'request', {
      method,
      route,
      status,
      ms: Math.round(ms),
      request_id: request.envelopeId,
      ...(raw.writableFinished ? {} : { cut: true }),
    })
  }
  app.addHook('onRequest', (request, reply, done) => {
    const since = performance.now()
    requests.begin(request.routeOptions.url ?? 'none')
    reply.raw.once('close', () => over(request, reply, since))
    done()
  })
}
