// A server at a URL, in this process: Streamable HTTP with sessions, as most have it, or the newest protocol alone.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import {
  createMcpHandler,
  type Server as McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Test } from 'tap'
import { makeServer } from './tools.mjs'

type Handler = (request: Request) => Promise<Response>

const bodyOf = async (request: IncomingMessage): Promise<Buffer | null> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return chunks.length === 0 ? null : Buffer.concat(chunks)
}

const answer = async (handler: Handler, request: IncomingMessage, response: ServerResponse) => {
  const { method = 'GET', url = '/' } = request
  const stop = new AbortController()
  response.on('close', () => stop.abort())
  const asked = new Request(`http://${request.headers.host}${url}`, {
    method,
    headers: Object.entries(request.headers) as [string, string][],
    body: await bodyOf(request),
    signal: stop.signal,
  })
  const given = await handler(asked)
  response.writeHead(given.status, Object.fromEntries(given.headers))
  response.flushHeaders()
  if (given.body === null) response.end()
  else
    Readable.fromWeb(given.body as never)
      .on('error', () => response.destroy())
      .pipe(response)
}

/** Listens on a free port of this machine until the test ends. */
export const listen = async (
  t: Pick<Test, 'teardown'>,
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
  host = '127.0.0.1',
): Promise<{ url: string; http: Server }> => {
  const http = createServer((request, response) => void handle(request, response))
  http.listen(0, host)
  await once(http, 'listening')
  t.teardown(() => {
    http.close()
    http.closeAllConnections()
  })
  return { url: `http://${host}:${(http.address() as AddressInfo).port}/mcp`, http }
}

type Options = { json?: boolean; modern?: boolean; make?: () => McpServer }

export const serveMcp = async (
  t: Test,
  { json = false, modern = false, make = makeServer }: Options = {},
) => {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const seen: Record<string, unknown>[] = []
  const withSessions: Handler = async request => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
    if (known !== undefined) return known.handleRequest(request)
    if (request.headers.has('mcp-session-id')) return new Response('no such session', { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => void sessions.set(id, transport),
      onsessionclosed: id => void sessions.delete(id),
      enableJsonResponse: json,
    })
    await make().connect(transport)
    return transport.handleRequest(request)
  }
  const newest = createMcpHandler(make, { legacy: 'reject' })
  const handler: Handler = modern ? request => newest.fetch(request) : withSessions
  const { url, http } = await listen(t, (request, response) => {
    seen.push(request.headers)
    return answer(handler, request, response).catch(() => response.destroy())
  })
  return { url, http, sessions, /** The headers of each request. */ seen }
}
