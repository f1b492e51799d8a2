// Who may do what at /mcp, and what it does with messages of nobody's making.
import { request } from 'node:http'
import t from 'tap'
import { may, type TokenAccess } from '../../../src/access/roles.ts'
import { roles } from '../../../src/contract/events/token-events.ts'
import { adminToken, serveHere } from '../../support/server.ts'
import { hostileMessages } from './hostile.ts'
import { messageOf, messagesTo } from './messages.ts'

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
