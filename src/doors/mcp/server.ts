// The server of MCP: the library reads the messages of both versions and checks versions, headers and forms. Each request
// has a server object of its own, with the methods that are ours.
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  fromJsonSchema,
  type JSONRPCMessage,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { TokenAccess } from '../../access/roles.ts'
import { heldBy, mapExact, nearest } from '../../contract/json/exact-number.ts'
import { faultOf } from '../../http/request/request.ts'
import { version } from '../../platform/version.ts'
import { callAgent } from './call.ts'
import { callEnvironment } from './environment.ts'
import { tasksExtension } from './error-form.ts'
import { invalidParams, protocolErrorOf } from './errors.ts'
import { type Exchange, isRecord, mustHave } from './exchange.ts'
import { elicitsIn, showsForms } from './older-clients.ts'
import { listResources, listTemplates, readResource } from './resources.ts'
import { cancelTask, getTask, updateTask } from './tasks.ts'
import { calledBy, toolsFor } from './tools.ts'

/** `params`: the schema of the parameters. */
type Method = {
  access: TokenAccess
  params: ReturnType<typeof fromJsonSchema>
  run: (exchange: Exchange) => Promise<object> | object
}

const text = { type: 'string' }
/** The parameters of a list, page by page. */
const listParams = fromJsonSchema({ type: 'object', properties: { cursor: text } })
const uriParams = fromJsonSchema({ type: 'object', properties: { uri: text }, required: ['uri'] })
const taskParams = fromJsonSchema({ type: 'object', properties: { taskId: text }, required: ['taskId'] })

const callTool = async (exchange: Exchange): Promise<object> => {
  const { deps, request, params } = exchange
  const { name, arguments: args = {} } = params
  if (typeof name !== 'string') throw invalidParams('name must be a string')
  if (!isRecord(args)) throw invalidParams('arguments must be an object')
  const called = await calledBy(deps, request.principal, name)
  if (called === undefined) throw invalidParams(`Unknown tool: ${name.slice(0, 200)}`)
  return 'agent' in called
    ? callAgent(exchange, called.agent, args)
    : callEnvironment(exchange, called.kind, args)
}

const methods: Record<string, Method> = {
  'tools/list': {
    access: 'read',
    params: listParams,
    run: async ({ deps, request: { principal }, client }) => {
      const tools = await toolsFor(deps, principal)
      return { tools: client.isModern ? tools.map(({ execution: _, ...tool }) => tool) : tools }
    },
  },
  'resources/list': { access: 'read', params: listParams, run: listResources },
  'resources/templates/list': { access: 'read', params: listParams, run: listTemplates },
  'resources/read': { access: 'read', params: uriParams, run: readResource },
}
const call: Omit<Method, 'params'> = { access: 'write', run: callTool }
/** Methods of the extension, which older clients do not have. */
const ofTasks: Record<string, Method> = {
  'tasks/get': { access: 'read', params: taskParams, run: getTask },
  'tasks/update': { access: 'write', params: taskParams, run: updateTask },
  'tasks/cancel': { access: 'write', params: taskParams, run: cancelTask },
}
const instructions =
  'Tools named agent_… run an agent, which may take long and may ask its user something. Tools named env_… work with an environment. Each call of an agent is a task, whose transcript is the resource task://<id>.'

/** A value in which each number is one of JavaScript's, for the library. The methods read the values as they were sent. */
export const plain = (value: unknown): unknown => mapExact(value, number => heldBy(number) ?? nearest(number))

/** The parts of an exchange that are known before the library has read the message. */
export type Begun = Pick<Exchange, 'deps' | 'request' | 'reply' | 'canceled'> & {
  message: Record<string, unknown>
}

const exchangeOf = (server: Server, begun: Begun, context: ServerContext, isModern: boolean): Exchange => {
  const { deps, request, reply, canceled, message } = begun
  const { id, envelope, notify, _meta } = context.mcpReq
  const capabilities = (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY]
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined
  const token = _meta?.progressToken
  let told = -1
  return {
    ...{ deps, request, reply, canceled, id },
    client: {
      isModern,
      elicits: isModern ? showsForms(capabilities) : elicitsIn(request.headers['mcp-session-id']),
      hasTasks: isRecord(extensions) && isRecord(extensions[tasksExtension]),
    },
    params: isRecord(message.params) ? message.params : {},
    tell(progress, words) {
      if (token === undefined || progress <= told) return
      told = progress
      const params = { progressToken: token, progress, message: words }
      void notify({ method: 'notifications/progress', params }).catch(() => {}) // the caller has gone
    },
    async send(message) {
      await server.transport?.send(message as JSONRPCMessage, { relatedRequestId: id })
    },
  }
}

/** Makes the server object for one request. */
const serverFor = (begun: Begun, isModern: boolean): Server => {
  const server = new Server(
    { name: 'reprise', title: 'Reprise', version },
    {
      capabilities: {
        tools: {},
        resources: {},
        ...(isModern ? { extensions: { [tasksExtension]: {} } } : {}),
      },
      instructions,
      inputRequired: { legacyShim: false },
    },
  )
  const running =
    ({ access, run }: Omit<Method, 'params'>) =>
    async (_request: unknown, context: ServerContext) => {
      const exchange = exchangeOf(server, begun, context, isModern)
      try {
        mustHave(exchange, access)
        return (await run(exchange)) as Record<string, unknown>
      } catch (error) {
        throw protocolErrorOf(error, faultOf(begun.deps.serving, begun.request))
      }
    }
  const known = { ...methods, ...(isModern ? ofTasks : {}) }
  for (const [name, method] of Object.entries(known))
    server.setRequestHandler(name, { params: method.params }, running(method))
  // The library would make a result of a tool out of each answer to a call.
  if (begun.message.method === 'tools/call') server.fallbackRequestHandler = running(call)
  return server
}

/** Makes the function that answers a message. */
export const createMessages = () => {
  const begun = new WeakMap<Request, Begun>()
  const { fetch } = createMcpHandler(({ era, requestInfo }) => {
    const found = requestInfo && begun.get(requestInfo)
    if (found === undefined) throw new Error('the library has another request than it was given')
    return serverFor(found, era === 'modern')
  })
  return (asked: Begun, request: Request): Promise<Response> => {
    begun.set(request, asked)
    return fetch(request, { parsedBody: plain(asked.message) })
  }
}
export type Mcp = ReturnType<typeof createMessages>
