// A server that is killed in the middle of calls: each call is one task, which ends with what its client hears, and nothing is
// done twice. A client of 2026-07-28 has the id of its task; one of 2025-11-25 still answers the question that it was asked.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { adminToken, spawnServer } from '../../support/server.ts'
import { becomes, messagesTo } from './messages.ts'

t.setTimeout(240_000)

const agent = `import { agent } from 'reprise/agent'
const text = { type: 'object', properties: { color: { type: 'string' } }, required: ['color'] }
export default agent(async ctx => {
  const post = async what => (await fetch(ctx.input.text + what, { method: 'POST' })).status
  await ctx.run('begin', () => post('/begin'))
  const { color } = await ctx.ask('color', { question: 'Which color?' }, { schema: text })
  await ctx.run('end', () => post('/end'))
  return 'It is ' + color + '.'
})
`

t.test('calls go on after kill -9', async t => {
  const done: (string | undefined)[] = []
  const outside = createServer((request, response) => {
    done.push(request.url)
    response.end()
  }).listen(0, '127.0.0.1')
  await once(outside, 'listening')
  t.teardown(() => outside.close())
  const where = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`
  const dataDir = t.testdir()
  const env = { AGENT_PATH: t.testdir({ 'asks.mjs': agent }), ENV_UID_BASE: '0', MCP_TASK_AFTER_MS: '0' }
  const first = await spawnServer(t, dataDir, env)
  const call = (input: string) => ({ name: 'agent_asks', arguments: { input } })

  const { result } = await messagesTo(first.url)('tools/call', call(`${where}/modern`))
  t.equal(result?.resultType, 'task')
  const headers = {
    authorization: `Bearer ${adminToken}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-session-id': 'asks.x',
  }
  const older = (message: object, url = first.url) =>
    fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })
  const stream = await older({ id: 1, method: 'tools/call', params: call(`${where}/older`) })
  let heard = ''
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
  while (!heard.includes('elicitation/create')) heard += new TextDecoder().decode((await reader.read()).value)
  const [, question = ''] = /"id":"(call_[^"]+)"/.exec(heard) ?? []
  await becomes(messagesTo(first.url), result?.taskId, 'input_required')
  await first.end('SIGKILL')
  await reader.cancel().catch(() => {})

  const again = await spawnServer(t, dataDir, env)
  const send = messagesTo(again.url)
  const accept = (color: string) => ({ action: 'accept', content: { color } })
  const update = { taskId: result?.taskId, inputResponses: { color: accept('blue') } }
  for (const _ of [1, 2]) t.match(await send('tasks/update', update), { result: {} })
  for (const _ of [1, 2])
    t.equal((await older({ id: question, result: accept('red') }, again.url)).status, 202)
  t.match((await becomes(send, result?.taskId, 'completed')).result, { content: [{ text: 'It is blue.' }] })
  const ofOlder = question.slice(question.indexOf('.') + 1)
  t.match((await becomes(send, ofOlder, 'completed')).result, { content: [{ text: 'It is red.' }] })
  t.same(
    done.toSorted(),
    ['/modern/begin', '/modern/end', '/older/begin', '/older/end'],
    'nothing is done twice',
  )
})
