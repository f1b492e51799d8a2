// The HTTP surface put together: hooks that hold for every route, then the routes.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { TSchema } from 'typebox'
import type { Events } from '../bus/events.ts'
import { apiVersion } from '../contract/answers.ts'
import { Refusal } from '../contract/refusals.ts'
import type { AgentInfo } from '../contract/wire.ts'
import { createAdmission } from './admission.ts'
import { agentRoutes } from './agents.ts'
import { auditRoutes } from './audit.ts'
import { authorize } from './auth.ts'
import { badRequest, requestTimeout } from './bad-request.ts'
import { readBodies } from './body/body.ts'
import { createBodyBudget } from './body/budget.ts'
import { longestMs } from './body/pace.ts'
import { allowOrigins } from './cors.ts'
import { docsRoutes } from './docs.ts'
import type { AuditDoor, EnvironmentDoor, Gate, Serving, SessionDoor, StateDoor, TaskDoor } from './doors.ts'
import { envInstanceRoutes } from './env-instances.ts'
import { envStepRoutes } from './env-step.ts'
import { environmentRoutes } from './environments.ts'
import { type Answer, answerOf } from './errors.ts'
import { eventRoutes } from './events.ts'
import { healthRoutes } from './health.ts'
import { tellIgnoredQuery } from './ignored-query.ts'
import { methodTable } from './method-table.ts'
import { metricsRoutes } from './metrics.ts'
import { type App, faultOf } from './request.ts'
import { watchRequests } from './request-end.ts'
import { setRequestId, shortHeader } from './request-id.ts'
import { holdToOperations } from './route.ts'
import { sessionRoutes } from './sessions.ts'
import { openSocketDoor, socketRoutes } from './socket/door.ts'
import { taskCreateRoutes } from './task-create.ts'
import { taskEventRoutes, wantsStream } from './task-events.ts'
import { taskHistoryRoutes } from './task-history.ts'
import { taskInputRoutes } from './task-inputs.ts'
import { taskListRoutes } from './task-list.ts'
import { taskRoutes } from './tasks.ts'
import { tokenRoutes } from './tokens.ts'
import { bodyValidator } from './validate.ts'

/** What the HTTP surface is put together from: the routes of a capability get that capability. */
export type AppDeps = {
  serving: Serving
  gate: Gate
  state: StateDoor
  tasks: TaskDoor
  sessions: SessionDoor
  environments: EnvironmentDoor
  /** For those who choose one. */
  agents: readonly AgentInfo[]
  /** The public events of the log. */
  events: Events
  audit: AuditDoor
}

const otherBodiesLimit = 1024 * 1024
/** A connection that says nothing, or not the whole head of a request, is closed after this time. */
const headersMs = 10_000
/** A connection without a request stays open for this time: longer than proxies keep theirs. */
const keptAliveMs = 72_000

/** Milliseconds between two looks for late connections. All that are found are closed in one turn, so few may be late at once. */
const lookForLateMs = 100

const create = ({ tasks, serving }: AppDeps) =>
  fastify({
    logger: false,
    exposeHeadRoutes: true,
    return503OnClosing: false,
    bodyLimit: otherBodiesLimit,
    requestTimeout: longestMs(Math.max(tasks.bodyLimit, otherBodiesLimit)),
    keepAliveTimeout: keptAliveMs,
    http: { headersTimeout: headersMs, connectionsCheckingInterval: lookForLateMs },
    routerOptions: { maxParamLength: 4096 },
    frameworkErrors(error, _request, reply) {
      const id = serving.newId()
      const plain = reply as unknown as FastifyReply
      void plain.headers({ 'x-api-version': apiVersion, 'x-request-id': id })
      send(plain, answerOf(error, undefined))
    },
    clientErrorHandler(error, socket) {
      if (!socket.writable) return void socket.destroy()
      const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      // A connection that said nothing is closed without a word: its owner may take one for the answer to its next request.
      if (isLate && socket.bytesRead === 0) return void socket.destroy()
      socket.end(isLate ? requestTimeout() : badRequest('this is not HTTP that the server understands'))
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

/** Somebody opens the server's address in a browser. */
const isVisit = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' && /^\/(\?|$)/.test(url) && /text\/html/i.test(headers.accept ?? '')

/** The rest of a refused body is read and thrown away up to this size, so that its sender sees the answer. */
const drainedAtMost = 64 * 1024 * 1024

/** A longer body, or one without an end in sight, is not read on: its connection closes. */
const send = (reply: FastifyReply, { status, headers, body }: Answer): void => {
  const { 'content-length': length, 'transfer-encoding': encoding } = reply.request.headers
  const isLong = encoding !== undefined || Number(length ?? 0) > drainedAtMost
  const isEnded = status === 408 || (isLong && (status === 401 || status === 413))
  const close = isEnded ? { connection: 'close' } : {}
  void reply
    .code(status)
    .headers({ ...headers, ...close })
    .send(body)
}

const addRoutes = (app: App, deps: AppDeps): void => {
  const { serving, state, tasks } = deps
  const unlessMissing = holdToOperations(app)
  healthRoutes(app, state, serving)
  docsRoutes(app)
  metricsRoutes(app, state)
  eventRoutes(app, deps.events, serving)
  socketRoutes(app)
  agentRoutes(app, deps.agents)
  taskCreateRoutes(app, tasks, serving)
  taskRoutes(app, tasks, serving)
  taskListRoutes(app, tasks, serving)
  taskEventRoutes(app, tasks, serving)
  taskInputRoutes(app, tasks, serving)
  taskHistoryRoutes(app, tasks, serving)
  tokenRoutes(app, serving)
  environmentRoutes(app, deps.environments)
  envInstanceRoutes(app, deps.environments, serving)
  envStepRoutes(app, deps.environments, serving)
  sessionRoutes(app, deps.sessions, serving)
  auditRoutes(app, deps.audit, serving)
  unlessMissing()
}

export const createApp = async (deps: AppDeps): Promise<FastifyInstance> => {
  const { serving, gate } = deps
  const app = create(deps)
  const budget = createBodyBudget()
  readBodies(app as unknown as FastifyInstance, budget)
  const methodsOf = methodTable()

  const unrouted = (request: FastifyRequest, reply: FastifyReply): Refusal => {
    const methods = methodsOf.at(request.url)
    if (methods.length === 0) return notThere(methodsOf.emptyIn(request.url))
    void reply.header('allow', methods.join(', '))
    return new Refusal('MethodNotAllowed')
  }

  app.setValidatorCompiler(({ schema, httpPart }) => {
    if (httpPart !== 'body') return value => ({ value }) // queries and paths have readers of their own
    const read = bodyValidator(schema as TSchema)
    return value => {
      try {
        return { value: read(value ?? undefined) } // null is how a body that is not there comes in
      } catch (error) {
        return { error: error as Error }
      }
    }
  })

  app.decorateRequest('principal')
  app.decorateRequest('envelopeId', '')
  watchRequests(app as unknown as App, gate, serving)
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-api-version', apiVersion)
    setRequestId(request, reply, serving.newId())
    done()
  })
  allowOrigins(app as unknown as App, gate.allowedOrigins)
  app.addHook('onRequest', (request, reply, done) => {
    const { access } = request.routeOptions.config
    try {
      const given = shortHeader(request, 'x-request-id')
      if (given !== undefined) setRequestId(request, reply, given)
      if (serving.stopping.aborted && access !== 'open') {
        // An EventSource gives up for good on an error answer, and comes back after a broken connection.
        const isStream = request.routeOptions.config.stream ?? wantsStream(request)
        if (access === 'follow' && isStream) return void request.raw.socket.destroy()
        void reply.header('connection', 'close')
        throw new Refusal('ShuttingDown')
      }
      if (isVisit(request)) return void reply.header('vary', 'accept').redirect('/docs')
      // Before a body is read: an unknown route is an unknown route whatever is sent to it.
      if (request.is404 || methodsOf.lacks(request)) throw unrouted(request, reply)
      tellIgnoredQuery(request, reply)
      const empty = emptyParameter(request.params)
      if (empty !== undefined) throw notThere(empty)
      if (access !== undefined && access !== 'open') {
        request.principal = authorize(request, access, serving)
      }
      done()
    } catch (error) {
      done(error as Error)
    }
  })

  const admission = createAdmission(gate.loop)
  app.addHook('onRequest', (request, reply, done) => {
    const { principal } = request
    if (principal === undefined) return done()
    const bytes = Number(request.headers['content-length'] ?? 0)
    const admitted = admission.enter(principal, new Promise(over => reply.raw.once('close', over)), bytes)
    if (admitted === undefined) return done()
    void admitted.then(() => {
      if (!serving.stopping.aborted) return done()
      void reply.header('connection', 'close')
      done(new Refusal('ShuttingDown'))
    })
  })

  app.setErrorHandler((error, request, reply) => {
    const answer = answerOf(error, request.routeOptions.config.envelope ? request.envelopeId : undefined)
    if (answer.fault) faultOf(serving, request)(error)
    send(reply as unknown as FastifyReply, answer)
  })

  app.addHook('onRoute', route => methodsOf.add(route.url, [route.method].flat()))
  addRoutes(app as unknown as App, deps)
  await app.ready()
  openSocketDoor(app.server, deps, budget, admission)
  return app as unknown as FastifyInstance
}

/** The name of an id that a path leaves empty. */
const emptyParameter = (params: unknown): string | undefined =>
  Object.entries((params ?? {}) as Record<string, string>).find(([, value]) => value === '')?.[0]

const notThere = (empty: string | undefined): Refusal =>
  empty === undefined
    ? new Refusal('RouteNotFound')
    : new Refusal('RouteNotFound', undefined, `the path has an empty ${empty}`)
