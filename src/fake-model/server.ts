// A small OpenAI-compatible server that answers from a script, or else plausibly, and keeps what it was asked.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from './answer.ts'
import { problemsOfScript } from './check.ts'
import { chunksOf, completionOf, type Head, modelName } from './completion.ts'
import { piecesOf } from './pieces.ts'
import { type ChatRequest, readRequest } from './request.ts'
import { playScript } from './script.ts'
import { sendError, sendJson, sendStream } from './send.ts'

/**
 * A chat completion that was asked for: its body to the letter, and as what it was understood (undefined: as
 * nothing); `closed` resolves when its answer is over, however it ended.
 */
export type Asked = {
  body: string
  request: ChatRequest | undefined
  headers: IncomingHttpHeaders
  closed: Promise<void>
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

const secret = /^(authorization|proxy-authorization|cookie|(x-)?api-key)$/
const withoutSecrets = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, secret.test(name) ? '***' : value]),
  )

/**
 * Listens on `host` (127.0.0.1) and `port` (a free one); `url` is its root, without /v1. Rejects when it cannot
 * listen, or when the answers are no script.
 */
export const startFakeModel = async ({
  answers,
  port = 0,
  host = '127.0.0.1',
}: {
  answers?: Answer[]
  port?: number
  host?: string
} = {}) => {
  const problems = answers === undefined ? [] : problemsOfScript(answers)
  if (problems.length > 0) throw new Error(problems.join('; '))
  const asked: Asked[] = []
  let answerTo = playScript(answers)
  let calls = 0

  const complete = async (request: IncomingMessage, response: ServerResponse) => {
    const gone = new AbortController()
    const closed = new Promise<void>(resolve => response.once('close', resolve)).then(() => gone.abort())
    const body = await textOf(request)
    const wish = readRequest(body)
    const understood = typeof wish === 'string' ? undefined : wish
    asked.push({ body, request: understood, headers: request.headers, closed })
    const id = `chatcmpl-fake-${asked.length}`
    if (typeof wish === 'string') return sendError(response, { status: 400, message: wish })
    const answer = answerTo(wish)
    if (answer.delay_ms) await sleep(answer.delay_ms, undefined, { signal: gone.signal })
    if (answer.error) return sendError(response, answer.error)
    const { model = wish.model ?? modelName, system_fingerprint } = answer
    const head: Head = {
      id,
      created: Math.floor(Date.now() / 1000),
      model,
      ...(system_fingerprint === undefined ? {} : { system_fingerprint }),
    }
    const pieces = piecesOf(answer, () => `fake_call_${++calls}`)
    if (wish.stream || answer.chunks !== undefined) {
      return sendStream(response, chunksOf(answer, wish, head, pieces), answer, gone.signal)
    }
    return sendJson(response, completionOf(answer, wish, head, pieces), answer)
  }

  const replaceScript = async (request: IncomingMessage, response: ServerResponse) => {
    let script: unknown
    try {
      script = JSON.parse(await textOf(request))
    } catch (error) {
      const message = `the script is no JSON: ${(error as Error).message}`
      return sendError(response, { status: 400, message })
    }
    const problems = problemsOfScript(script)
    if (problems.length > 0) return sendError(response, { status: 400, message: problems.join('; ') })
    answerTo = playScript(script as Answer[])
    sendJson(response, { answers: (script as Answer[]).length })
  }

  type Route = (request: IncomingMessage, response: ServerResponse) => unknown
  const routes: Record<string, Record<string, Route>> = {
    '/v1/chat/completions': { POST: complete },
    '/v1/models': {
      GET: (_request, response) =>
        sendJson(response, {
          object: 'list',
          data: [{ id: modelName, object: 'model', created: 0, owned_by: 'reprise' }],
        }),
    },
    '/requests': {
      GET: (_request, response) =>
        sendJson(
          response,
          asked.map(({ body, headers }) => ({ body, headers: withoutSecrets(headers) })),
        ),
    },
    '/script': { POST: replaceScript },
  }

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const method = request.method ?? ''
    const { pathname } = new URL(request.url ?? '/', 'http://fake')
    const methods = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined
    if (methods === undefined) {
      const message = `there is no ${pathname}; there are ${Object.keys(routes).join(', ')}`
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

  const server = createServer((request, response) => {
    handle(request, response).catch(error => {
      if (response.destroyed) return // nobody is left to be told
      if (response.headersSent) response.destroy()
      else sendError(response, { status: 500, message: String(error) })
    })
  })
  server.listen(port, host)
  await once(server, 'listening') // rejects when the server says 'error'
  const address = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    asked,
    async close(): Promise<void> {
      server.closeAllConnections()
      if (!server.listening) return
      server.close()
      await once(server, 'close')
    },
  }
}
export type FakeModel = Awaited<ReturnType<typeof startFakeModel>>
