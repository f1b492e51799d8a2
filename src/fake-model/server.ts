// A small server that speaks the protocols of models and answers from a script or, without a script, with plausible
// answers. It records the requests.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { faults } from './faults/faults.ts'
import { createPlayer, modelName, type PlayerOptions } from './player.ts'
import type { Protocol } from './protocols/protocol.ts'
import { protocols } from './protocols/protocols.ts'
import { type Fields, fieldsOf } from './question.ts'
import { sendError, sendJson, sendReply } from './send.ts'

type Route = (request: IncomingMessage, response: ServerResponse) => unknown
/** Handlers by path, then by method. */
type Routes = Record<string, Record<string, Route>>

const pathOf = (url: string): string => new URL(url, 'http://fake').pathname

/** Finds the handler of a request. An error names the paths or methods that exist. */
const createRouter =
  (routes: Routes) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const method = request.method ?? ''
    const pathname = pathOf(request.url ?? '/')
    const methods = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined
    if (methods === undefined) {
      const message = `there is no path ${pathname}; the paths are ${Object.keys(routes).join(', ')}`
      return sendError(response, { status: 404, message })
    }
    const route = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (route === undefined) {
      const allow = Object.keys(methods).join(', ')
      const message = `${pathname} does not take ${method}, but ${allow}`
      return sendError(response, { status: 405, message, headers: { allow } })
    }
    return route(request, response)
  }

export const readBody = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** The fields of a request that tests look at. Which of them a request has depends on its protocol. */
type Request = {
  messages: { role?: string; content?: unknown; [field: string]: unknown }[]
  tools?: { function?: { name?: string } }[]
  [field: string]: unknown
}
/**
 * A received request: its path, its exact body, and the parsed body (undefined if it cannot be read). `closed` resolves
 * when the answer has ended in any way.
 */
export type Asked = {
  path: string
  body: string
  request: Request | undefined
  headers: IncomingHttpHeaders
  closed: Promise<void>
}

const secret = /^(authorization|proxy-authorization|cookie|(x-)?api-key)$/
const withoutSecrets = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret.test(name) ? '***' : value]),
  )
const requestsOf = (asked: Asked[]) =>
  asked.map(({ path, body, headers }) => ({ path, body, headers: withoutSecrets(headers) }))

/** The list of models, with the fields of OpenAI and those of Anthropic. */
const models = {
  object: 'list',
  data: [
    {
      id: modelName,
      object: 'model',
      created: 0,
      owned_by: 'reprise',
      type: 'model',
      display_name: modelName,
      created_at: '1970-01-01T00:00:00Z',
    },
  ],
  has_more: false,
  first_id: modelName,
  last_id: modelName,
}
const listOfFaults = faults.map(({ name, about, protocols: in_protocols }) => ({
  name,
  about,
  ...(in_protocols === undefined ? {} : { protocols: in_protocols }),
}))

const parsed = (body: string): Fields | string => {
  try {
    return fieldsOf(JSON.parse(body))
  } catch (error) {
    return `the body is no JSON: ${(error as Error).message}`
  }
}
const namesIn = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')

type Player = ReturnType<typeof createPlayer>
/** Answers requests of a protocol, and adds each of them to `asked`. */
const answering =
  (player: Player, asked: Asked[], protocol: Protocol) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController()
    const closed = new Promise<void>(resolve => response.once('close', resolve)).then(() => gone.abort())
    const body = await readBody(request)
    const fields = parsed(body)
    const question = typeof fields === 'string' ? fields : protocol.read(fields)
    const understood = typeof question === 'string' ? undefined : (fields as Request)
    const { headers, url = '' } = request
    asked.push({ path: pathOf(url), body, request: understood, headers, closed })
    const wanted = namesIn(headers['x-fake-fault'])
    const reply =
      typeof question === 'string'
        ? question
        : player.reply({ protocol, question, number: asked.length, wanted })
    if (typeof reply === 'string') sendJson(response, protocol.error(400, reply), { status: 400 })
    else await sendReply(response, reply, gone.signal)
  }

const replacing =
  (player: Player) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let script: unknown
    try {
      script = JSON.parse(await readBody(request))
    } catch (error) {
      return sendError(response, {
        status: 400,
        message: `the script is no JSON: ${(error as Error).message}`,
      })
    }
    try {
      player.replace(script)
    } catch (error) {
      return sendError(response, { status: 400, message: (error as Error).message })
    }
    sendJson(response, { answers: (script as unknown[]).length })
  }

/**
 * Starts a fake model on `host` (127.0.0.1 if absent) and `port` (any free one if absent). `url` is its root, without
 * /v1. Rejects if it cannot listen, or if the answers are no valid script.
 */
export const startFakeModel = async ({
  port = 0,
  host = '127.0.0.1',
  ...options
}: Pick<PlayerOptions, 'answers' | 'faults'> & { port?: number; host?: string } = {}) => {
  const player = createPlayer(options)
  const asked: Asked[] = []
  const answers = protocols.map(protocol => [protocol.path, { POST: answering(player, asked, protocol) }])
  const handle = createRouter({
    ...Object.fromEntries(answers),
    '/v1/models': { GET: (_request, response) => sendJson(response, models) },
    '/requests': { GET: (_request, response) => sendJson(response, requestsOf(asked)) },
    '/faults': { GET: (_request, response) => sendJson(response, listOfFaults) },
    '/script': { POST: replacing(player) },
  })
  const server = createServer((request, response) => {
    handle(request, response).catch(error => {
      if (response.destroyed) return // the client has gone
      if (response.headersSent) response.destroy()
      else sendError(response, { status: 500, message: String(error) })
    })
  })
  server.listen(port, host)
  await once(server, 'listening') // rejects on an 'error' event of the server
  const address = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    asked,
    /** Replaces the script. Throws an error with all problems if the answers are no valid one. */
    replace: player.replace,
    async close(): Promise<void> {
      server.closeAllConnections()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
}
export type FakeModel = Awaited<ReturnType<typeof startFakeModel>>
