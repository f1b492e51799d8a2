// What happens to a request before its route: the request gets an id; it is refused if the server is stopping, if its
// route does not exist, or if its caller is unknown or not allowed; and it waits for the turn of its user.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../contract/refusals.ts'
import { setHeaders } from '../answer/head.ts'
import type { Serving } from '../doors.ts'
import { wantsStream } from '../routes/task-events.ts'
import type { MethodTable } from '../server/method-table.ts'
import type { Admission } from './admission.ts'
import { authorize, ticketOf } from './auth.ts'
import { tellIgnoredQuery } from './ignored.ts'
import type { App } from './request.ts'
import { givenId, idHeader, setRequestId } from './request-id.ts'

/** The name of the path parameter that is empty in this request. */
const emptyParameter = (params: unknown): string | undefined =>
  Object.entries((params ?? {}) as Record<string, string>).find(([, value]) => value === '')?.[0]

const notThere = (empty: string | undefined): Refusal =>
  empty === undefined
    ? new Refusal('RouteNotFound')
    : new Refusal('RouteNotFound', undefined, `the path has an empty ${empty}`)

const unrouted = (methodsOf: MethodTable, request: FastifyRequest, reply: FastifyReply): Refusal => {
  const methods = methodsOf.at(request.url)
  if (methods.length === 0) return notThere(methodsOf.emptyIn(request.url))
  void reply.header('allow', methods.join(', '))
  return new Refusal('MethodNotAllowed')
}

/** Refuses a request while the server stops. */
const refuseAtStop = (request: FastifyRequest): void => {
  const { access, stream } = request.routeOptions.config
  // An EventSource never reconnects after an error answer, but it reconnects after a broken connection.
  const isStream = stream ?? wantsStream(request)
  if (access === 'follow' && isStream) return void request.raw.socket.destroy()
  throw new Refusal('ShuttingDown')
}

/** Gives every answer the common headers, and every request a new id, which the answer has in a header, too. */
export const nameRequests = (app: App, newId: () => string): void => {
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(reply)
    setRequestId(request, reply, newId())
    done()
  })
}

/**
 * Refuses requests that have no route, or whose caller may not make them. Every request that passes has
 * `request.principal` from here on, unless its route is open to everybody.
 */
export const checkRequests = (
  app: App,
  methodsOf: MethodTable,
  serving: Pick<Serving, 'stopping' | 'principals' | 'tickets'>,
): void => {
  app.addHook('onRequest', (request, reply, done) => {
    const { access } = request.routeOptions.config
    try {
      const given = givenId(request.headers['x-request-id'])
      if (given !== undefined) setRequestId(request, reply, given)
      if (serving.stopping.aborted && access !== 'open') return refuseAtStop(request)
      // This check comes before the body is read, because the body cannot change the answer for an unknown route.
      if (request.is404 || methodsOf.lacks(request)) throw unrouted(methodsOf, request, reply)
      tellIgnoredQuery(request, reply)
      const empty = emptyParameter(request.params)
      if (empty !== undefined) throw notThere(empty)
      if (access !== undefined && access !== 'open') {
        request.principal = authorize(request, access, serving)
      }
      idHeader(request, 'x-request-id')
      if (ticketOf(request) === undefined) done()
      else serving.tickets.stored().then(() => done(), done)
    } catch (error) {
      done(error as Error)
    }
  })
}

/** Lets a request wait for its user's turn before its body is read. */
export const admitRequests = (app: App, admission: Admission, stopping: AbortSignal): void => {
  app.addHook('onRequest', (request, reply, done) => {
    const { principal } = request
    if (principal === undefined) return done()
    const bytes = Number(request.headers['content-length'] ?? 0)
    const admitted = admission.enter(principal, new Promise(over => reply.raw.once('close', over)), bytes)
    if (admitted === undefined) return done()
    void admitted.then(() => {
      if (stopping.aborted) done(new Refusal('ShuttingDown'))
      else done()
    })
  })
}
