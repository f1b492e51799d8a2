// Numbers in the messages of MCP servers: their text reaches the server, and comes back, over each transport.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import t from 'tap'
import { read } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { folderOf } from './support.ts'

const numbers = ['2512292042121000001', '1e400', '-0', '1.0', '0.1000000000000000055511151231257827']
/** The result with numbers of the form in which a server of this kind writes it, also where the SDK reads numbers. */
const answers = `
const tools = '{"tools":[{"name":"get","inputSchema":{"type":"object","properties":{"n":{"type":"number","maximum":1E400}}}}]}'
const resultOf = (method, params, raw) => {
  if (method === 'initialize') return JSON.stringify({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } })
  if (method === 'tools/list') return tools
  const n = /"n":([^,}]+)/.exec(raw)[1]
  return '{"content":[],"structuredContent":{"got": ' + n + ' , "text":"[1.0,9007199254740993]","list":[' + n + ']}}'
}
const answerTo = raw => {
  const { id, method, params } = JSON.parse(raw)
  if (id === undefined) return undefined
  if (!['initialize', 'tools/list', 'tools/call'].includes(method)) return { progress: [], answer: '{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"error":{"code":-32601,"message":"unknown"}}' }
  const token = params?._meta?.progressToken
  const progress = token === undefined ? [] : ['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":' + JSON.stringify(token) + ',"progress":0.50,"total":1.0,"message":"half"}}']
  return { progress, answer: '{"jsonrpc":"2.0","id":' + id + '.0,"result":' + resultOf(method, params, raw) + '}' }
}
`
const answerTo = new Function(`${answers}; return answerTo`)() as (
  raw: string,
) => { progress: string[]; answer: string } | undefined

const folder = folderOf(t)
const program = path.join(folder, 'numbers.mjs')
writeFileSync(
  program,
  `import { createInterface } from 'node:readline'
${answers}
for await (const line of createInterface({ input: process.stdin })) {
  const { progress = [], answer } = answerTo(line) ?? {}
  for (const text of [...progress, answer]) if (text !== undefined) process.stdout.write(text + '\\n')
}`,
)
const MCP_CONFIG = path.join(folder, 'mcp.json')
writeFileSync(
  MCP_CONFIG,
  JSON.stringify({ mcpServers: { local: { command: process.execPath, args: [program] } } }),
)

/** A server that answers as JSON at /json, and as a stream of events, whose data has several lines, at /events. */
const remote = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(405).end()
  let raw = ''
  for await (const chunk of request) raw += chunk
  const given = answerTo(raw)
  if (given === undefined) return response.writeHead(202).end()
  if (request.url === '/json') {
    return response.writeHead(200, { 'content-type': 'application/json' }).end(given.answer)
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const text of [...given.progress, given.answer]) {
    const lines = text.replaceAll(':', ':\n').split('\n')
    response.write(`id: 1\r\n${lines.map(line => `data: ${line}\r\n`).join('')}\r`)
    response.write('\n')
  }
  return response.end()
})
await new Promise<void>(resolve => remote.listen(0, '127.0.0.1', resolve))
t.teardown(() => remote.close())
const { port } = remote.address() as AddressInfo
const { api } = await serveHere(t, { MCP_CONFIG, ALLOW_PRIVATE_URLS: '1' })

const servers: Record<string, string> = {
  local: '{}',
  json: `{"url":"http://127.0.0.1:${port}/json"}`,
  events: `{"url":"http://127.0.0.1:${port}/events"}`,
}
for (const [name, server] of Object.entries(servers)) {
  t.test(`numbers keep their text: ${name}`, async t => {
    for (const n of numbers) {
      const { body, text } = await read(
        api(
          'POST',
          '/tasks',
          `{"user_message_content":"x","stream":false,"agent_config":{"agent_id":"script","tool_mcp_config":{"mcpServers":{"${name}":${server}}},
            "script":[{"tool":"${name}__get","arguments":{"n":${n}}},{"message":"$result"}]}}`,
        ),
      )
      const said = body.result?.output.at(-1)?.message_content
      const expected = `{"got":${n},"text":"[1.0,9007199254740993]","list":[${n}]}`
      t.match(said, [{ text: expected }], text)
    }
  })
}
