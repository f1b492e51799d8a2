// A minimal MCP server. It has one tool, reads and writes one JSON-RPC message a line over stdio, and needs only Node.
import { createInterface } from 'node:readline'

const forecast = {
  name: 'forecast',
  description: 'The weather of a city, as this example has it.',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  annotations: { readOnlyHint: true },
}
const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'weather', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [forecast] }),
  'tools/call': ({ arguments: { city } }) => ({ content: [{ type: 'text', text: `${city}: 21 °C, clear` }] }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue // a notification
  const answer = methods[method]
  const rest = answer
    ? { result: answer(params ?? {}) }
    : { error: { code: -32601, message: `there is no ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...rest })}\n`)
}
