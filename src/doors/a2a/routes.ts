// The routes of A2A: cards, JSON-RPC and HTTP+JSON, each for the default agent and for a named one.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { RpcCall } from '../../contract/a2a/requests.ts'
import { isExact } from '../../contract/json/exact-number.ts'
import { a2aJson } from '../../documents/operation.ts'
import type { OperationId } from '../../documents/operations.ts'
import { answerOf, isFault } from '../../http/answer/errors.ts'
import { sendError } from '../../http/answer/send-error.ts'
import { json } from '../../http/answer/send-text.ts'
import { ignoredHeader } from '../../http/request/ignored.ts'
import { type App, faultOf } from '../../http/request/request.ts'
import { bodyValidator } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { answer, type Binding } from './answer.ts'
import { type A2ADeps, agentOf, type Call } from './call.ts'
import { sendCard } from './card.ts'
import { A2AProblem, NoSuchMethod } from './errors.ts'
import { definitions, run } from './methods.ts'
import { inCamel, judgeVersion, type Method, methodOf } from './names.ts'

type Params = Record<string, unknown>

const call = async (
  deps: A2ADeps,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: { method: Method; params: Params },
  binding: Binding,
): Promise<unknown> => {
  judgeVersion(request)
  const { agent: named } = request.params as { agent?: string }
  const { tenant } = asked.params
  const agent = agentOf(deps, request, named, typeof tenant === 'string' ? tenant : undefined)
  const made: Call = { deps, request, reply, agent }
  return answer(made, await run(made, asked.method, asked.params), binding)
}

// JSON-RPC. The errors of a call have its id, so they are sent here.

const readCall = bodyValidator(RpcCall)

const idOf = (body: unknown): unknown => {
  const { id } = (body ?? {}) as { id?: unknown }
  return typeof id === 'string' || typeof id === 'number' || isExact(id) ? id : null
}

const rpc = (deps: A2ADeps) => async (request: FastifyRequest, reply: FastifyReply) => {
  const { serving } = deps
  const id = idOf(request.body)
  const wrap = (result: object) => ({ jsonrpc: '2.0', id, result })
  try {
    const { method: name, params = {} } = readCall(request.body)
    const method = methodOf(name)
    if (method === undefined) throw new NoSuchMethod(name)
    const known = inCamel(params) as Params
    ignoredHeader(request, reply, definitions[method].schema as TSchema, known)
    return await call(deps, request, reply, { method, params: known }, { wrap, type: json })
  } catch (error) {
    if (isFault(error)) faultOf(serving, request)(error)
    const { status, headers, body } = answerOf(error, {
      envelopeId: undefined,
      errors: 'a2a-rpc',
      root: serving.root,
    })
    sendError(reply, { status, headers, body: { ...(body as object), id } })
    return reply
  }
}

// HTTP+JSON.

/** The protocol's own content type is for those who know it. Others get that of JSON. */
const httpBinding = ({ headers }: FastifyRequest): Binding => {
  const isKnown = [headers.accept, headers['content-type']].some(type => type?.includes(a2aJson))
  return { wrap: result => result, type: isKnown ? a2aJson : json }
}

/** The task that a path names, and what is to be done with it: `{id}:cancel`. */
const custom = (text: string): { id: string; verb: string | undefined } => {
  const [, id, verb] = /^(.+):(cancel|subscribe)$/s.exec(text) ?? []
  return id === undefined ? { id: text, verb: undefined } : { id, verb }
}
const ofGet = (verb: string | undefined): Method => (verb === 'subscribe' ? 'SubscribeToTask' : 'GetTask')
const ofPost = (verb: string | undefined): Method => {
  if (verb === 'subscribe') return 'SubscribeToTask'
  if (verb === 'cancel') return 'CancelTask'
  throw new A2AProblem('UNSUPPORTED_OPERATION', 'POST to a task with :cancel or :subscribe behind its id')
}

/** The parameters that a path has. */
type InPath = { task_id?: string; call?: string; config_id?: string }
const inPath = ({ params }: FastifyRequest): InPath => params as InPath
const configsOf = (request: FastifyRequest): Params => ({ taskId: inPath(request).task_id })
const configOf = (request: FastifyRequest): Params => ({
  ...configsOf(request),
  id: inPath(request).config_id,
})
const bodyOf = ({ body }: FastifyRequest): Params => (body ?? {}) as Params

const integers: ReadonlySet<string> = new Set(['historyLength', 'pageSize'])
/** The values of a query, with the types that they have in a body. What does not fit stays a text, and is refused. */
const inQuery = (query: unknown): Params =>
  Object.fromEntries(
    Object.entries(inCamel(query) as Record<string, unknown>)
      .filter(([name]) => name !== 'A2A-Version')
      .map(([name, value]) => {
        if (integers.has(name) && /^-?\d{1,15}$/.test(String(value))) return [name, Number(value)]
        if (name === 'includeArtifacts' && /^(?:true|false)$/.test(String(value)))
          return [name, value === 'true']
        return [name, value]
      }),
  )

/** The operations that are there for the default agent and for a named one. */
type Twice =
  Extract<OperationId, `a2a${string}OfAgent`> extends infer Id
    ? Id extends `${infer Bare}OfAgent`
      ? Exclude<Bare, 'a2aCard'>
      : never
    : never
type Options = {
  handler: (request: FastifyRequest, reply: FastifyReply) => unknown
  preValidation?: (request: FastifyRequest) => Promise<void>
  bodyLimit?: number
}

export const a2aRoutes = (app: App, deps: A2ADeps): void => {
  const http =
    (method: Method, own: (request: FastifyRequest) => Params = () => ({})) =>
    (request: FastifyRequest, reply: FastifyReply) => {
      const params = { ...inQuery(request.query), ...own(request) }
      return call(deps, request, reply, { method, params }, httpBinding(request))
    }
  const withVerb =
    (methodOf: (verb: string | undefined) => Method) => (request: FastifyRequest, reply: FastifyReply) => {
      const { task_id, call: text = task_id ?? '' } = inPath(request)
      const { id, verb } = custom(text)
      return http(methodOf(verb), () => ({ id }))(request, reply)
    }
  const preValidation = async (request: FastifyRequest): Promise<void> => {
    request.body = inCamel(request.body)
  }
  const { bodyLimit } = deps.tasks
  const ofMessage = { bodyLimit, preValidation }
  /** The route of an operation for the default agent, and that for a named one. */
  const both = (id: Twice, options: Options): void => {
    route(app, id, options)
    route(app, `${id}OfAgent`, options)
  }

  route(app, 'a2aCard', { handler: async (request, reply) => sendCard(deps, request, reply) })
  route(app, 'a2aCardOfAgent', {
    handler: async (request, reply) => sendCard(deps, request, reply, request.params.agent),
  })
  both('a2aCall', { bodyLimit, handler: rpc(deps) })
  both('a2aSendMessage', { ...ofMessage, handler: http('SendMessage', bodyOf) })
  both('a2aStreamMessage', { ...ofMessage, handler: http('SendStreamingMessage', bodyOf) })
  both('a2aListTasks', { handler: http('ListTasks') })
  both('a2aGetTask', { handler: withVerb(ofGet) })
  both('a2aTaskVerb', { handler: withVerb(ofPost) })
  const pushOf = (request: FastifyRequest): Params => ({ ...bodyOf(request), ...configsOf(request) })
  both('a2aCreatePush', { preValidation, handler: http('CreateTaskPushNotificationConfig', pushOf) })
  both('a2aListPushes', { handler: http('ListTaskPushNotificationConfigs', configsOf) })
  both('a2aGetPush', { handler: http('GetTaskPushNotificationConfig', configOf) })
  both('a2aDeletePush', { handler: http('DeleteTaskPushNotificationConfig', configOf) })
  both('a2aExtendedCard', { handler: http('GetExtendedAgentCard') })
}
