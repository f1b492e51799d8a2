// The routes of MCP: /mcp, and the document about its tokens. The library that reads the messages is loaded with the first
// one, since it would make each start of the server longer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { may } from '../../access/roles.ts'
import { Invalid } from '../../contract/refusals.ts'
import { handOver } from '../../http/answer/pour.ts'
import { answerWhenReady } from '../../http/answer/slow-answer.ts'
import type { Gate } from '../../http/doors.ts'
import { type App, faultOf } from '../../http/request/request.ts'
import { retryOf } from '../../http/request/request-id.ts'
import { route } from '../../http/route.ts'
import { originOf } from '../../http/server/public-url.ts'
import { holdStream } from '../../http/stream/hold-stream.ts'
import { sendHeld } from '../../http/stream/task-stream.ts'
import { only } from '../../platform/pieces.ts'
import { isRecord, type McpDeps } from './exchange.ts'
import { createHostCheck } from './hosts.ts'
import { createOpenCalls, isAnswer, sessionFor } from './older-clients.ts'
import type { Mcp } from './server.ts'

type Message = Record<string, unknown>

const loadLibrary = async () => {
  const [{ createMessages }, { takeAnswer }, { problemOfHello }] = await Promise.all([
    import('./server.ts'),
    import('./take-answer.ts'),
    import('./hello.ts'),
  ])
  return { answer: createMessages(), takeAnswer, problemOfHello }
}

const notOne = 'Input should be one message of JSON-RPC: no list'

const messageIn = (body: unknown): Message => {
  if (isRecord(body)) return body
  throw new Invalid([{ loc: ['body'], msg: notOne, type: 'value_error' }])
}

const metaIn = ({ params }: Message): Message => {
  const meta = isRecord(params) ? params._meta : undefined
  return isRecord(meta) ? meta : {}
}

/** Whether the client speaks a version whose requests do not name it in themselves. */
const isOlder = (message: Message): boolean =>
  metaIn(message)['io.modelcontextprotocol/protocolVersion'] === undefined

const isCall = ({ method }: Message): boolean => method === 'tools/call'

/** Whether the answer to a message may be a stream. */
const mayStream = (message: Message): boolean =>
  isOlder(message) || metaIn(message).progressToken !== undefined

/** The same request for the library. Its signal aborts when the caller has gone. */
const requestFor = ({ headers }: FastifyRequest, { raw }: FastifyReply): Request => {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  return new Request('http://localhost/mcp', { method: 'POST', headers: given, signal: gone.signal })
}

const never = new AbortController().signal
const noPlace = { isTaken: () => false, async acquire() {}, release() {} }

/** Sends the events of an answer as they come. */
const sendEvents = async (
  { serving }: McpDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  body: ReadableStream<Uint8Array>,
): Promise<FastifyReply> => {
  const { stopping, openStreams } = serving
  const reader = body.getReader()
  const feed = { close: () => void reader.cancel().catch(() => {}), whenErased() {} }
  const held = { feed, place: noPlace, stopping, openStreams, onFault: faultOf(serving, request) }
  const decoder = new TextDecoder()
  await sendHeld(request, reply, held, async raw => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      if (raw.destroyed) return
      await handOver(raw, only(decoder.decode(read.value, { stream: true })))
    }
    if (!raw.destroyed) raw.end()
  })
  return reply
}

const isStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') === true

/** The body of an answer that is no stream. */
const bodyOf = async (reply: FastifyReply, response: Response): Promise<string> => {
  void reply.code(response.status)
  return response.text()
}

const failWith = (
  reply: FastifyReply,
  id: unknown,
  status: number,
  error: { code: number; message: string },
) =>
  reply
    .code(status)
    .send({ jsonrpc: '2.0', id: typeof id === 'string' || typeof id === 'number' ? id : null, error })

export const mcpRoutes = (
  app: App,
  deps: McpDeps,
  { allowedOrigins }: Pick<Gate, 'allowedOrigins'>,
): void => {
  const { tasks, serving } = deps
  const mustBeAllowed = createHostCheck({ allowedOrigins, publicUrl: serving.publicUrl })
  const openCalls = createOpenCalls()
  let library: ReturnType<typeof loadLibrary> | undefined

  /** Keeps a call of an older client, which cancels it by a message, from its first moment until it is answered. */
  const canceledBy = (
    { principal, headers }: FastifyRequest,
    { raw }: FastifyReply,
    message: Message,
  ): AbortSignal => {
    if (!isOlder(message) || !isCall(message)) return never
    const { canceled, forget } = openCalls.add(principal, headers['mcp-session-id'], message.id)
    raw.once('close', forget)
    return canceled
  }

  const answer = async (mcp: Mcp, request: FastifyRequest, reply: FastifyReply, message: Message) => {
    const onFault = faultOf(serving, request)
    if (isCall(message) && mayStream(message)) holdStream(serving, request, reply)
    const begun = { deps, request, reply, message, canceled: canceledBy(request, reply, message) }
    const ready = mcp(begun, requestFor(request, reply))
    if (!mayStream(message)) {
      const text = ready.then(response => bodyOf(reply, response))
      return answerWhenReady(reply, text, serving.stopping, onFault)
    }
    const response = await ready
    if (message.method === 'initialize' && response.ok) {
      const params = isRecord(message.params) ? message.params : {}
      void reply.header('mcp-session-id', sessionFor(params, serving.newId()))
    }
    if (isStream(response) && response.body !== null) return sendEvents(deps, request, reply, response.body)
    const text = await bodyOf(reply, response)
    return text === '' ? reply.send() : reply.type('application/json').send(text)
  }

  route(app, 'mcp', {
    bodyLimit: tasks.bodyLimit,
    async handler(request, reply) {
      mustBeAllowed(request.raw)
      retryOf(request) // a wrong key is refused, whichever message it comes with
      const message = messageIn(request.body)
      library ??= loadLibrary()
      const { answer: mcp, takeAnswer, problemOfHello } = await library
      if (isAnswer(message)) {
        await takeAnswer({ deps, request, reply }, message)
        return reply.code(202).send()
      }
      if (message.method === 'subscriptions/listen')
        return failWith(reply, message.id, 404, { code: -32_601, message: 'Method not found' })
      const isHello = message.method === 'initialize' && isOlder(message)
      const wrong = isHello ? await problemOfHello(message.params) : undefined
      if (wrong !== undefined) return failWith(reply, message.id, 200, { code: -32_602, message: wrong })
      // Who may not write has called nothing that could be canceled.
      const cancels = message.method === 'notifications/cancelled' && may(request.principal.role, 'write')
      if (cancels && isRecord(message.params))
        openCalls.cancel(request.principal, request.headers['mcp-session-id'], message.params.requestId)
      return answer(mcp, request, reply, message)
    },
  })

  route(app, 'getMcpMetadata', {
    handler: async ({ headers }) => ({
      resource: `${serving.root || originOf(headers.host)}/mcp`,
      resource_name: 'Reprise',
      bearer_methods_supported: ['header'],
    }),
  })
}
