// Stands between the public suite and the server. The suite sends no token, and knows tools and resources by names of its own:
// the proxy adds the token, and puts `agent_` before the names of tools and `task://` in place of `test://`. Everything else
// passes as it is, with the host and the origin that the suite names.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'

type Message = { method?: string; params?: { name?: unknown; uri?: unknown } }

const inServer = (uri: string): string =>
  uri.replace(/^test:\/\/(.*)$/, (_, id) => `task://${encodeURIComponent(id)}`)
const inSuite = (text: string): string =>
  text
    .replaceAll('"name":"agent_', '"name":"')
    .replace(/task:\/\/([^"\\]*)/g, (_, id) => `test://${decodeURIComponent(id)}`)

const renamed = (message: Message): Message => {
  const { params } = message
  if (message.method === 'tools/call' && typeof params?.name === 'string')
    params.name = `agent_${params.name}`
  if (message.method === 'resources/read' && typeof params?.uri === 'string')
    params.uri = inServer(params.uri)
  return message
}

const headersFor = ({ 'content-length': _, ...headers }: IncomingHttpHeaders, token: string) => {
  const { 'mcp-method': method, 'mcp-name': name } = headers
  const named =
    method === 'tools/call' && name !== undefined
      ? `agent_${name}`
      : method === 'resources/read' && name !== undefined
        ? inServer(String(name))
        : name
  return {
    ...headers,
    authorization: `Bearer ${token}`,
    ...(named === undefined ? {} : { 'mcp-name': named }),
  }
}

/** Starts the proxy. Returns the address of `/mcp`. */
export const namingProxy = async (url: string, token: string) => {
  const { hostname, port } = new URL(url)
  const server = createServer(async (asked, answer) => {
    const pieces: Buffer[] = []
    for await (const piece of asked) pieces.push(piece)
    const text = Buffer.concat(pieces).toString()
    let body = text
    try {
      body = JSON.stringify(renamed(JSON.parse(text)))
    } catch {
      // It is no message, which the server says itself.
    }
    const headers = headersFor(asked.headers, token)
    const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, async got => {
      const { 'content-length': _, ...given } = got.headers
      answer.writeHead(got.statusCode ?? 502, given)
      for await (const piece of got) answer.write(inSuite(String(piece)))
      answer.end()
    })
    passed.on('error', () => answer.destroy())
    answer.once('close', () => passed.destroy())
    passed.end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`, close }
}
