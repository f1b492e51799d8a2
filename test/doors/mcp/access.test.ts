// Who may do what at /mcp, and what it does with messages of nobody's making.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import path from 'node:path'
import t from 'tap'
import { may, type TokenAccess } from '../../../src/access/roles.ts'
import { roles } from '../../../src/contract/events/token-events.ts'
import { adminToken, serveHere } from '../../support/server.ts'
import { hostileMessages } from './hostile.ts'
import { messageOf, messagesTo } from './messages.ts'
import { namingProxy } from './naming-proxy.ts'

const suite = path.resolve(
  import.meta.dirname,
  '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)

const { url, api, lines } = await serveHere(t)
const tokenOf = async (body: object) =>
  ((await (await api('POST', '/auth/tokens', body)).json()) as { token: string }).token

const taskId = 'anns'
const echo = { name: 'agent_echo', arguments: { input: 'x' } }
/** Each method, with the access that it needs and parameters that are right. */
const methods: [string, TokenAccess, Record<string, unknown>][] = [
  ['server/discover', 'read', {}],
  ['tools/list', 'read', {}],
  ['resources/list', 'read', {}],
  ['resources/templates/list', 'read', {}],
  ['resources/read', 'read', { uri: `task://${taskId}` }],
  ['tasks/get', 'read', { taskId }],
  ['tasks/update', 'write', { taskId, inputResponses: {} }],
  ['tasks/cancel', 'write', { taskId }],
  ['tools/call', 'write', echo],
]
const ann = await tokenOf({ role: 'user', user_id: 'ann' })
await api('POST', '/tasks', {
  user_message_content: 'x',
  client_id: 'echo',
  stream: false,
  task_id: taskId,
  user_id: 'ann',
})

t.test('each role may call the methods that its access allows', async t => {
  for (const role of roles) {
    const send = messagesTo(url, { token: await tokenOf({ role }) })
    for (const [method, access, params] of methods) {
      const { status, result, error } = await send(method, params)
      const refused = status === 403 || error?.data?.reason === 'Forbidden'
      t.equal(refused, !may(role, access), `${role} ${method}: ${status} ${error?.message}`)
      if (may(role, access)) t.ok(result, `${role} ${method}`)
    }
  }
})

t.test("another user's tasks are like tasks that do not exist", async t => {
  const bob = messagesTo(url, { token: await tokenOf({ role: 'user', user_id: 'bob' }) })
  const asked = async (id: string) => {
    const answers = [
      await bob('tasks/get', { taskId: id }),
      await bob('tasks/update', { taskId: id, inputResponses: {} }),
      await bob('tasks/cancel', { taskId: id }),
      await bob('resources/read', { uri: `task://${id}` }),
      await bob('tools/call', { ...echo, requestState: `${id}.3`, inputResponses: {} }),
    ]
    return answers.map(({ status, error }) => ({ status, code: error?.code, message: error?.message }))
  }
  t.same(await asked(taskId), await asked('nobodys'))
  t.equal((await asked(taskId))[0]?.code, -32602)
  t.same((await bob('resources/list')).result?.resources, [])
  const own = await messagesTo(url, { token: ann })('resources/list')
  t.match(own.result?.resources, [{ uri: 'task://anns' }])
})

t.test('who has no token is led to the document about tokens', async t => {
  const { status, headers, error } = await messagesTo(url, { token: 'none' })('tools/list')
  t.same([status, typeof error?.code], [401, 'number'])
  const [, where = ''] = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '') ?? []
  t.match(await (await fetch(where)).json(), {
    resource: `${url.replace('127.0.0.1', new URL(where).hostname)}/mcp`,
  })
})

/** The status of a message to a host and from an origin. */
const statusFor = (headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { body, ...message } = messageOf('tools/list', {}, { token: adminToken, headers })
    const asked = request(`${url}/mcp`, message, answer => {
      answer.resume()
      resolve(answer.statusCode)
    })
    asked.on('error', reject)
    asked.end(body)
  })

t.test('no page of a name that leads here may ask', async t => {
  const { host } = new URL(url)
  t.equal(await statusFor({ host: 'evil.example' }), 403)
  t.equal(await statusFor({ host: 'evil.example', origin: 'http://evil.example' }), 403)
  t.equal(await statusFor({ host, origin: 'http://evil.example' }), 403)
  t.equal(await statusFor({ host: `localhost:${new URL(url).port}` }), 200)
  t.equal(await statusFor({ host, origin: `http://${host}` }), 200)
})

t.test('hostile messages get answers, and no fault', async t => {
  const { wrong, statuses } = await hostileMessages(url, adminToken, 200)
  t.same(wrong, [])
  for (const status of [200, 202, 400, 404]) t.ok(statuses[status], `${status} was among the answers`)
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})

t.test('what docs/doors.md lists is so', async t => {
  const send = messagesTo(url)
  for (const method of ['prompts/list', 'completion/complete', 'subscriptions/listen', 'tasks/list'])
    t.match(await send(method), { status: 404, error: { code: -32601 } }, method)
  const authorization = `Bearer ${adminToken}`
  for (const method of ['GET', 'DELETE'])
    t.equal((await fetch(`${url}/mcp`, { method, headers: { authorization } })).status, 405)
  const metadata = await (await fetch(`${url}/.well-known/oauth-protected-resource/mcp`)).json()
  t.notOk('authorization_servers' in (metadata as object))

  const headers = { ...messageOf('x', {}).headers, accept: 'application/json, text/event-stream' }
  const { 'mcp-protocol-version': _, 'mcp-method': __, ...ofOlder } = headers
  const older = async (body: unknown, session = 'silent.x') => {
    const sent = { ...ofOlder, 'mcp-session-id': session }
    return fetch(`${url}/mcp`, { method: 'POST', headers: sent, body: JSON.stringify(body) })
  }
  const message = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })
  t.equal((await older([message('ping', {})])).status, 400, 'lists of messages')
  t.match(await (await older(message('tasks/get', { taskId }))).text(), '-32601', 'tasks of older clients')
  for (const [capabilities, word] of [
    [{ elicitation: {} }, 'asks.'],
    [{}, 'silent.'],
  ] as const) {
    const clientInfo = { name: 'x', version: '1' }
    const hello = message('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo })
    const answer = await older(hello)
    t.match(answer.headers.get('mcp-session-id'), new RegExp(`^${word}`))
    await answer.text()
  }
})

t.test('a scenario of the public suite; all of them: npm run doors -- mcp', async t => {
  const proxy = await namingProxy(url, adminToken)
  t.teardown(proxy.close)
  const scenario = ['--scenario', 'http-header-validation', '--spec-version', '2026-07-28']
  const child = spawn(process.execPath, [suite, 'server', '--url', proxy.url, ...scenario])
  let said = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', piece => (said += piece))
  const [code] = await once(child, 'close')
  t.equal(code, 0, said.slice(-2000))
})
