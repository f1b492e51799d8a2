// How a WebSocket begins and ends: who may come in, and every code that it is closed with.
import { request } from 'node:http'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { dial, read, until } from '../../support/http.ts'
import { adminToken, serveHere, spawnServer } from '../../support/server.ts'
import { addressOf, type Heard, openSocket } from './client.ts'
import { doorHere } from './door-here.ts'

t.jobs = 4
const server = await serveHere(t, { ALLOWED_ORIGINS: 'https://app.example, http://localhost:3000' })
const { url, api } = server

const echo = { user_message_content: 'hello', stream: false, client_id: 'echo' }
const tokenOf = async (body: object): Promise<{ id: string; token: string }> =>
  (await read(api('POST', '/auth/tokens', body))).body as unknown as { id: string; token: string }
const ticketOf = async (token = adminToken, wish?: object): Promise<string> => {
  const headers = { authorization: `Bearer ${token}` }
  const { body } = await read(api('POST', '/auth/stream-ticket', wish, headers))
  return (body as unknown as { ticket: string }).ticket
}
/** The last thing that was said before the end, and the end. */
const endOf = async (socket: Awaited<ReturnType<typeof openSocket>>) => {
  const { code, reason } = await socket.closed
  const { type, error } = socket.heard.at(-1) ?? ({} as Heard)
  return { code, reason, type, error: error?.code }
}
const unauthenticated = { code: 4001, reason: 'a valid token is required', type: 'error', error: -32030 }

t.test('by a header', async t => {
  for (const token of ['nonsense', `${adminToken}x`]) {
    t.same(await endOf(await openSocket(url, { token })), unauthenticated)
  }
  for (const authorization of ['Basic eDp5', 'Bearer', adminToken]) {
    t.same(await endOf(await openSocket(url, { token: '', headers: { authorization } })), unauthenticated)
  }
  const socket = await openSocket(url, { token: '', headers: { authorization: `bearer   ${adminToken}` } })
  t.equal((await socket.ask({ type: 'ping' })).type, 'pong')
  t.equal(socket.heard.length, 1, 'nothing is said that was not asked for')
  await socket.cut()
})

t.test('by a ticket, one connection at a time, with what its token may do', async t => {
  const subscriber = await tokenOf({ role: 'subscriber', user_id: 'ann' })
  const ticket = await ticketOf(subscriber.token, { for: 'socket' })
  const first = await openSocket(url, { token: '', query: `?ticket=${ticket}` })
  t.equal((await first.ask({ type: 'subscribe', channels: ['tasks'] })).type, 'subscribed')
  const second = await openSocket(url, { token: '', query: `?x=1&ticket=${ticket}` })
  t.same(await endOf(first), unauthenticated, 'the new one took its place')
  t.equal((await second.ask({ type: 'ping' })).type, 'pong')
  second.say({ type: 'create', ...echo })
  t.match(await endOf(second), { code: 4003, error: -32031 })
  const asked = await ticketOf(adminToken, { for: 'socket' })
  const writing = await openSocket(url, { token: '', query: `?ticket=${asked}` })
  t.equal((await writing.ask({ type: 'create', ...echo })).type, 'result')
  await writing.cut()
  const again = await openSocket(url, { token: '', query: `?ticket=${asked}` })
  t.equal((await again.ask({ type: 'create', ...echo })).type, 'result', 'its reconnects command, too')
  await again.cut()
  for (const query of ['?ticket=nonsense', '?ticket=', `?ticket=${adminToken}`]) {
    t.same(await endOf(await openSocket(url, { token: '', query })), unauthenticated, query)
  }
  const both = await openSocket(url, { token: 'nonsense', query: `?ticket=${ticket}` })
  t.same(await endOf(both), unauthenticated, 'the header decides')
})

t.test('a ticket that was not asked for to command with subscribes, and commands nothing', async t => {
  for (const wish of [undefined, {}, { for: null }]) {
    const socket = await openSocket(url, { token: '', query: `?ticket=${await ticketOf(adminToken, wish)}` })
    t.equal((await socket.ask({ type: 'subscribe', channels: ['tasks'] })).type, 'subscribed')
    const { id } = (await read(api('POST', '/tasks', echo))).body.result
    for (const command of [
      { type: 'create', ...echo },
      { type: 'answer', task_id: id, inputs: [] },
      { type: 'message', task_id: id, content: 'x' },
      { type: 'cancel', task_id: id },
      { type: 'pause', task_id: id },
      { type: 'resume', task_id: id },
      { type: 'step', session_id: 's', tool_name: 'x', tool_args: {} },
    ]) {
      const answer = await socket.ask(command)
      const isChecked = answer.error?.data?.detail !== undefined // its fields are looked at first
      if (!isChecked)
        t.match(
          answer,
          { type: 'error', error: { code: -32031, data: { hint: /"for": "socket"/ } } },
          command.type,
        )
    }
    t.equal((await socket.ask({ type: 'ping' })).type, 'pong', 'the connection stays')
    await socket.cut()
  }
  for (const wish of [{ for: 'stream' }, { for: '' }, { for: ['socket'] }, [], 'socket']) {
    t.equal((await read(api('POST', '/auth/stream-ticket', wish))).status, 422, JSON.stringify(wish))
  }
})

t.test(
  'a token of a role that may follow nothing is not let in, by the header or by the first message',
  async t => {
    const { token } = await tokenOf({ role: 'eraser' })
    const forbidden = { code: 4003, reason: 'not allowed', type: 'error', error: -32031 }
    t.same(await endOf(await openSocket(url, { token })), forbidden)
    const stranger = await openSocket(url, { token: '' })
    stranger.say({ type: 'auth', token })
    t.same(await endOf(stranger), forbidden)
  },
)

t.test('by the first message, and by nothing else before it', async t => {
  const { token } = await tokenOf({ role: 'user', user_id: 'ann' })
  const socket = await openSocket(url, { token: '' })
  t.same(await socket.ask({ type: 'Auth', data: { token } }), {
    type: 'authenticated',
    request_id: 'ask-1',
    user_id: 'ann',
    role: 'user',
  })
  t.equal((await socket.ask({ type: 'create', ...echo })).type, 'result')
  await socket.cut()
  const numbered = await openSocket(url, { token: '' })
  numbered.say({ type: 'auth', token, request_id: 7 })
  t.match(
    await numbered.until(({ type }) => type === 'error'),
    { type: 'error', request_id: '7', error: { code: -32602 } },
    'only the id is wrong',
  )
  t.equal((await numbered.ask({ type: 'auth', token })).type, 'authenticated', 'and the connection stays')
  await numbered.cut()
  const admin = await openSocket(url, { token: '' })
  t.match(await admin.ask({ type: 'auth', token: adminToken }), { user_id: null, role: 'admin' })
  await admin.cut()
  const wrong: [string | object, object][] = [
    [{ type: 'auth', token: 'nonsense' }, unauthenticated],
    [{ type: 'ping' }, unauthenticated],
    [{ type: 'subscribe', channels: ['tasks'] }, unauthenticated],
    [{ type: 'create', ...echo }, unauthenticated],
    [{ type: 'auth' }, { ...unauthenticated, error: -32602 }],
    ['not JSON', { ...unauthenticated, error: -32602 }],
  ]
  for (const [message, expected] of wrong) {
    const socket = await openSocket(url, { token: '' })
    socket.say(message)
    t.same(await endOf(socket), expected, JSON.stringify(message))
  }
  const eager = await openSocket(url, { token: '' })
  eager.say({ type: 'auth', token: adminToken })
  eager.say({ type: 'ping' })
  await eager.until(({ type }) => type === 'pong')
  await eager.cut()
})

t.test('who does not say who it is has ten seconds', async t => {
  const { url } = await doorHere(t, server, { limits: { authMs: 50 } })
  t.same(await endOf(await openSocket(url, { token: '' })), unauthenticated)
  const socket = await openSocket(url)
  await new Promise(resolve => setTimeout(resolve, 80))
  t.equal((await socket.ask({ type: 'ping' })).type, 'pong', 'and who has is not asked again')
})

t.test('a token that is revoked, or comes to its end, ends its connections and no others', async t => {
  const revoked = await tokenOf({ role: 'subscriber' })
  const short = await tokenOf({ role: 'user', user_id: 'ann', ttl: 1 })
  const [first, second, third] = await Promise.all([
    openSocket(url, { token: revoked.token }),
    openSocket(url, { token: short.token }),
    openSocket(url),
  ])
  await first.ask({ type: 'subscribe', channels: ['tasks'] })
  t.equal((await api('DELETE', `/auth/tokens/${revoked.id}`)).status, 200)
  t.same(await endOf(first), unauthenticated)
  t.same(await endOf(second), unauthenticated)
  t.equal((await third.ask({ type: 'ping' })).type, 'pong')
  await third.cut()
})

t.test('who may only read gives no commands', async t => {
  for (const role of ['subscriber', 'auditor']) {
    const { token } = await tokenOf({ role })
    for (const [type, more] of Object.entries({
      create: echo,
      answer: { task_id: 'x', tool_results: [] },
      message: { task_id: 'x', content: 'x' },
      cancel: { task_id: 'x' },
      pause: { task_id: 'x' },
      resume: { task_id: 'x' },
      step: { session_id: 'x', tool_name: 'x' },
    })) {
      const socket = await openSocket(url, { token })
      t.equal((await socket.ask({ type: 'ping' })).type, 'pong')
      const refused = await socket.ask({ type, ...more })
      t.same([refused.type, refused.error?.code], ['error', -32031], `${role} ${type}`)
      t.equal((await socket.closed).code, 4003)
    }
  }
})

t.test("a task that is not there, or is another user's, cannot be followed", async t => {
  const { id } = (await read(api('POST', '/tasks', echo))).body.result
  const { token } = await tokenOf({ role: 'user', user_id: 'ann' })
  for (const task_id of [id, 'nobody']) {
    const socket = await openSocket(url, { token })
    const refused = await socket.ask({ type: 'subscribe', channels: ['task'], task_id })
    t.match(refused, { type: 'error', error: { code: -32001 } })
    t.equal((await socket.ask({ type: 'ping' })).type, 'pong', 'and the connection stays')
    await socket.cut()
  }
})

t.test('pages of the own host and of named origins may connect', async t => {
  const { host } = new URL(url)
  for (const origin of [url, `https://${host}`, 'https://app.example', 'http://localhost:3000']) {
    const socket = await openSocket(url, { headers: { origin } })
    t.equal((await socket.ask({ type: 'ping' })).type, 'pong', origin)
    await socket.cut()
  }
  for (const origin of [
    'https://app.example.evil',
    'http://app.example',
    'https://app.example:8443',
    'null',
    'nonsense',
    '',
    `${url}1`,
  ]) {
    const socket = await openSocket(url, { headers: { origin } })
    t.same(await endOf(socket), { code: 4003, reason: 'not allowed', type: 'error', error: -32031 }, origin)
  }
  const open = await doorHere(t, server, { allowedOrigins: ['*'] })
  for (const origin of ['https://anybody.example', 'null']) {
    const socket = await openSocket(open.url, { headers: { origin } })
    t.equal((await socket.ask({ type: 'ping' })).type, 'pong', origin)
  }
})

t.test('a page of another origin does not even use up a ticket', async t => {
  const ticket = await ticketOf()
  const headers = { origin: 'https://evil.example' }
  t.equal((await endOf(await openSocket(url, { token: '', query: `?ticket=${ticket}`, headers }))).code, 4003)
})

t.test('too many connections, or too many who have not said who they are: later', async t => {
  const later = { code: 1013, reason: 'try again later', type: 'error', error: -32027 }
  const full = await doorHere(t, server, { limits: { connections: 2 } })
  const [first] = [await openSocket(full.url), await openSocket(full.url)]
  t.same(await endOf(await openSocket(full.url)), later)
  await first.cut()
  t.equal((await (await openSocket(full.url)).ask({ type: 'ping' })).type, 'pong', 'there is room again')
  const unknown = await doorHere(t, server, { limits: { unknown: 1 } })
  const waiting = await openSocket(unknown.url, { token: '' })
  t.same(await endOf(await openSocket(unknown.url, { token: '' })), later)
  t.equal((await (await openSocket(unknown.url)).ask({ type: 'ping' })).type, 'pong')
  t.match(await waiting.ask({ type: 'auth', token: adminToken }), { type: 'authenticated' })
  const next = await openSocket(unknown.url, { token: '' })
  t.match(await next.ask({ type: 'auth', token: adminToken }), { type: 'authenticated' })
})

t.test('events that cannot be read: later, and the operator is told', async t => {
  const events = {
    position: () => 7,
    subscribe(_after: number, _filter: object, _take: unknown, onFault: (error: Error) => void) {
      queueMicrotask(() => onFault(new Error('the disk said no')))
      return { resume() {}, close() {} }
    },
  } as unknown as typeof server.system.bus.events
  const { url, faults } = await doorHere(t, server, { events })
  const socket = await openSocket(url)
  t.equal((await socket.ask({ type: 'subscribe', channels: ['tasks'] })).position, 7)
  t.same(await endOf(socket), { code: 1013, reason: 'try again later', type: 'error', error: -32603 })
  t.match(faults, [{ message: 'the disk said no' }])
})

t.test('who does not answer a ping is gone, and its task with it', async t => {
  const { url, requests } = await doorHere(t, server, { tickMs: 5 })
  const socket = await openSocket(url)
  const pings = { count: 0 }
  socket.ws.on('ping', () => pings.count++)
  await until(() => pings.count >= 2)
  t.equal(socket.end(), undefined, 'who answers stays')
  await socket.ask({
    type: 'create',
    ...echo,
    client_id: 'script',
    agent_config: { agent_id: 'script', script: [{ sleep_ms: 600_000 }] },
    stream: true,
    on_disconnect: 'cancel',
    task_id: 'of-the-dead',
  })
  socket.ws.pause()
  const isCanceled = async () =>
    (await read(api('GET', '/tasks/of-the-dead'))).body.result.status === 'canceled'
  await until(isCanceled)
  await until(() => requests.open.get('/ws') === 0)
  socket.ws.resume()
  t.equal((await socket.closed).code, 1006)
})

t.test('when the server goes down: 1001 to who is there, and no answer to who comes', async t => {
  const process = await spawnServer(t, t.testdir(), { DRAIN_SECONDS: '3' })
  const socket = await openSocket(process.url)
  await socket.ask({ type: 'subscribe', channels: ['tasks'] })
  const idle = await openSocket(process.url, { token: '' })
  const script = [{ message: 'one two three four', delta_ms: 300 }, { sleep_ms: 60_000 }]
  socket.say({
    type: 'create',
    ...echo,
    client_id: 'script',
    agent_config: { agent_id: 'script', script },
    on_disconnect: 'cancel',
    task_id: 'goes-on',
  })
  await socket.until(({ type, data }) => type === 'TaskStatusChanged' && data?.new_status === 'working')
  process.signal('SIGTERM')
  t.match(await socket.closed, { code: 1001, reason: 'the server goes down' })
  t.equal((await idle.closed).code, 1001)
  await t.rejects(openSocket(process.url), { code: /ECONNRESET|ECONNREFUSED/ })
  t.same(await process.exited, [0, null])
  t.notMatch(process.stderr(), 'error')
  const next = await spawnServer(t, t.testdirName)
  const { status } = (await read(next.api('GET', '/tasks/goes-on'))).body.result
  t.equal(status, 'working', 'that was no disconnect')
  await next.end('SIGKILL') // before its folder goes
})

t.test('who asks for /ws without a WebSocket is told what it is', async t => {
  for (const headers of [{}, { authorization: `Bearer ${adminToken}` }]) {
    const answer = await read(fetch(`${url}/ws`, { headers }))
    t.match(answer, { status: 426, body: { code: -32600, message: /WebSocket/ } })
    t.equal(answer.headers.get('upgrade'), 'websocket')
  }
  t.equal((await fetch(`${url}/ws`, { method: 'POST' })).status, 405)
})

/** A request that wishes for another protocol. */
const wishing = (t: Test, path: string, upgrade: string, { method = 'GET', body = '' } = {}) =>
  new Promise<{ status: number | undefined; text: string; version: unknown }>((resolve, reject) => {
    const asked = request(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${adminToken}`,
        connection: 'Upgrade, HTTP2-Settings',
        'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
        upgrade,
        ...(body === '' ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
      },
    })
    asked.on('response', answer => {
      let text = ''
      answer.on('data', chunk => (text += chunk))
      const { statusCode: status, headers } = answer
      answer.on('end', () => resolve({ status, text, version: headers['x-api-version'] }))
    })
    asked.on('upgrade', () => reject(new Error('it was upgraded')))
    asked.on('error', reject)
    asked.end(body)
    t.teardown(() => asked.destroy())
  })

t.test('a wish for another protocol, or elsewhere, is passed over: it is plain HTTP', async t => {
  const post = { method: 'POST', body: JSON.stringify(echo) }
  t.match(await wishing(t, '/v1/tasks', 'h2c', post), { status: 200, text: /"completed"/, version: '2.3.0' })
  t.match(await wishing(t, '/v1/tasks?limit=1', 'h2c'), { status: 200, text: /jsonrpc/ })
  t.match(await wishing(t, '/ws', 'h2c'), { status: 426 })
  t.match(await wishing(t, '/v1/tasks?limit=1', 'websocket'), { status: 200 })
  for (const path of ['/ws/', '/v1/ws', '/wsx', '/nowhere']) {
    const ws = new WebSocket(`${addressOf(url).replace('/ws', path)}`)
    const [error] = await new Promise<Error[]>(resolve => ws.once('error', (...all) => resolve(all)))
    t.match(error, { message: /404/ }, path)
  }
  // On one connection: the body after its head, and the next request behind it.
  const { socket, state } = await dial(url)
  const auth = `Host: x\r\nAuthorization: Bearer ${adminToken}\r\n`
  const wish = 'Connection: Upgrade\r\nUpgrade: h2c\r\n'
  socket.write(
    `POST /v1/tasks HTTP/1.1\r\n${auth}${wish}Content-Type: application/json\r\nContent-Length: ${post.body.length}\r\n\r\n`,
  )
  await new Promise(resolve => setTimeout(resolve, 30))
  socket.write(`${post.body}GET /v1/tasks?limit=1 HTTP/1.1\r\n${auth}\r\n`)
  await until(() => (state.raw.match(/HTTP\/1\.1 200 OK/g) ?? []).length === 2)
  socket.destroy()
})

t.test('the handshake is held to its rules', async t => {
  const { socket, state, closed } = await dial(url)
  socket.write(
    `GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  )
  await closed
  t.match(state.raw, /^HTTP\/1\.1 400 .*X-API-Version: 2\.3\.0\r\n.*Sec-WebSocket-Version: 13\r\n/s)
  t.match(JSON.parse(state.raw.split('\r\n\r\n')[1] ?? ''), { code: -32600, message: /Sec-WebSocket-Key/ })
  t.match(await wishing(t, '/ws', 'websocket', { method: 'POST' }), {
    status: 405,
    text: /-32601/,
    version: '2.3.0',
  })
  const ws = new WebSocket(addressOf(url), {
    headers: { authorization: `Bearer ${adminToken}` },
    perMessageDeflate: true,
  })
  const headers = await new Promise<Record<string, unknown>>(resolve =>
    ws.once('upgrade', ({ headers }) => resolve(headers)),
  )
  t.equal(headers['x-api-version'], '2.3.0')
  t.equal(ws.extensions, '', 'nothing is compressed')
  ws.terminate()
})

t.test('open connections and answered messages are counted', async t => {
  const socket = await openSocket(url)
  await socket.ask({ type: 'pause', task_id: 'nobody' })
  await socket.ask({ type: 'nonsense' })
  const { text } = await read(fetch(`${url}/metrics`))
  t.match(text, /reprise_open_streams\{kind="socket"\} [1-9]/)
  t.match(text, /reprise_socket_messages_total\{type="pause",outcome="refused"\} [1-9]/)
  t.match(text, /reprise_socket_messages_total\{type="unknown",outcome="refused"\} [1-9]/)
  t.match(text, /reprise_http_request_duration_seconds_count\{[^}]*route="\/ws",status="101"\} [1-9]/)
  await socket.cut()
})
