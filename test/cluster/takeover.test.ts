// Requests while the owner changes: they wait, go to the new owner, or are answered with what the client must know.
import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import net from 'node:net'
import tap, { type Test } from 'tap'
import { WebSocket as Client, WebSocketServer } from 'ws'
import { bodyOf, exchange, moment, nodeHere, pairHere } from './nodes-here.ts'

type Call = { method?: string; path?: string; body?: string; headers?: http.OutgoingHttpHeaders }

/** Sends a request, and resolves with the answer and its body. */
const call = async (port: number, { method = 'GET', path = '/a', body, headers = {} }: Call = {}) => {
  const request = http.request({ port, host: '127.0.0.1', method, path, headers, agent: false })
  request.end(body)
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, text: String(await bodyOf(answer)) }
}
const errorIn = ({ text }: { text: string }) => JSON.parse(text) as { code: number; message: string }

/** An owner that answers with its name and the body. */
const namedNode = (t: Test, name: string, owner?: 'me') =>
  nodeHere(t, {
    name,
    ...(owner === undefined ? {} : { owner }),
    request: (message, response) => void bodyOf(message).then(body => response.end(`${name}:${body}`)),
  })

/** Resolves when so many requests wait at a node. */
const untilHeld = async (node: { board: { held(): number } }, count: number) => {
  while (node.board.held() < count) await new Promise(resolve => setImmediate(resolve))
}

tap.test('requests wait while no owner is known, and go on when this node or another one is', async t => {
  const a = await namedNode(t, 'a', 'me')
  const b = await namedNode(t, 'b')
  const first = [call(b.port), call(b.port, { method: 'POST', body: 'x'.repeat(1_000_000) })]
  await untilHeld(b, 2)
  b.become({ url: a.url })
  t.same(
    (await Promise.all(first)).map(({ text }) => text.slice(0, 3)),
    ['a:', 'a:x'],
  )
  b.become(undefined)
  const second = [call(b.port), call(b.port, { method: 'POST', body: 'y' })]
  await untilHeld(b, 2)
  b.become('me')
  t.same(
    (await Promise.all(second)).map(({ text }) => text),
    ['b:', 'b:y'],
  )
})

tap.test('a request that waits too long is refused, and did nothing', async t => {
  const node = await nodeHere(t, { name: 'a', holdMs: 50 })
  const answer = await call(node.port, { method: 'POST', body: '{}' })
  t.match(answer, {
    status: 503,
    headers: { 'retry-after': '1', 'x-api-version': /^\d/, 'x-request-id': /^req_/ },
  })
  t.match(errorIn(answer), { code: -32603, message: /no node of the cluster owns .* nothing was done/ })
  await t.rejects(call(node.port, { headers: { accept: 'text/event-stream' } }), { code: 'ECONNRESET' })
  const client = new Client(`ws://127.0.0.1:${node.port}/ws`)
  const [, refusal] = (await once(client, 'unexpected-response')) as [unknown, IncomingMessage]
  t.equal(refusal.statusCode, 503)
})

tap.test('a node that stops refuses requests that wait', async t => {
  const node = await nodeHere(t, { name: 'a' })
  const waiting = call(node.port)
  await untilHeld(node, 1)
  node.stopping.abort()
  t.match(await waiting, { status: 503, headers: { connection: 'close' } })
  t.match(await call(node.port), { status: 503 })
})

tap.test('a client that leaves while it waits is forgotten', async t => {
  const node = await nodeHere(t, { name: 'a' })
  const socket = net.connect(node.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await untilHeld(node, 1)
  socket.destroy()
  while (node.board.held() > 0) await new Promise(resolve => setImmediate(resolve))
  t.equal(node.board.held(), 0)
})

tap.test('requests that the owner could not get are sent again, whatever they ask for', async t => {
  const gone = await namedNode(t, 'a', 'me')
  gone.die()
  const c = await namedNode(t, 'c', 'me')
  const b = await namedNode(t, 'b')
  b.become({ url: gone.url })
  const calls = [
    call(b.port),
    call(b.port, { method: 'POST', body: 'x' }),
    call(b.port, { method: 'DELETE' }),
  ]
  await untilHeld(b, 3)
  b.become({ url: c.url })
  t.same(
    (await Promise.all(calls)).map(({ text }) => text),
    ['c:', 'c:x', 'c:'],
  )
})

tap.test('a request is sent again to an owner that is not reached at first', async t => {
  const first = await namedNode(t, 'a', 'me')
  first.die()
  const b = await namedNode(t, 'b')
  b.become({ url: first.url })
  const waiting = call(b.port, { method: 'POST', body: 'x' })
  await untilHeld(b, 1)
  const server = http.createServer((message, response) => {
    if (message.headers['reprise-waits'] !== undefined) response.writeContinue()
    void bodyOf(message).then(body => response.end(`again:${body}`))
  })
  server.listen(first.port, '127.0.0.1')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  t.equal((await waiting).text, 'again:x')
})

tap.test('a node that is not the owner any more lets all requests go to the new owner', async t => {
  const a = await namedNode(t, 'a', 'me')
  const b = await namedNode(t, 'b')
  b.become({ url: a.url })
  a.become({ url: b.url })
  const size = 2_000_000
  const calls = [
    call(b.port),
    call(b.port, { method: 'POST', body: 'x'.repeat(size) }),
    call(b.port, { method: 'POST' }),
  ]
  await untilHeld(b, 3)
  b.become('me')
  const answers = await Promise.all(calls)
  t.same(
    answers.map(({ text }) => text.length),
    [2, size + 2, 2],
  )
  t.ok(answers.every(({ text }) => text.startsWith('b:')))
})

/** A pair whose owner gets a request, and is killed before it answers. */
const killedOwner = async (t: Test, sent: Call) => {
  const got = moment()
  const { owner, standby } = await pairHere(t, {
    request: message => void message.resume().once('end', got.happen),
  })
  const answer = call(standby.port, sent)
  await got.came
  owner.die()
  return { answer, standby }
}

tap.test('a POST whose owner is killed may have happened, and the answer says what to do', async t => {
  for (const body of ['{}', undefined]) {
    const { answer } = await killedOwner(t, { method: 'POST', ...(body === undefined ? {} : { body }) })
    const refused = await answer
    t.match(refused, { status: 503, headers: { 'retry-after': '1' } })
    t.match(errorIn(refused), {
      code: -32603,
      message: /may have happened$/,
      data: { hint: /^Send it again with the same `Idempotency-Key`/ },
    })
  }
})

tap.test('a GET whose owner is killed is answered by the next owner', async t => {
  const c = await namedNode(t, 'c', 'me')
  const { answer, standby } = await killedOwner(t, {})
  standby.become({ url: c.url })
  t.match(await answer, { status: 200, text: 'c:' })
})

tap.test('a GET with a body is not sent again, since its body is gone', async t => {
  const { answer } = await killedOwner(t, { body: 'x', headers: { 'content-length': 1 } })
  t.match(await answer, { status: 503, text: /may have happened/ })
})

tap.test('requests that a former owner does not answer end a second after there is a new one', async t => {
  const asked = moment()
  let count = 0
  const frozen = await nodeHere(t, {
    name: 'a',
    owner: 'me',
    request(message, response) {
      message.resume()
      if (message.url === '/stream') response.writeHead(200).write('x')
      count += 1
      if (count === 3) asked.happen()
    },
  })
  const b = await namedNode(t, 'b')
  b.become({ url: frozen.url })
  const get = call(b.port)
  const post = call(b.port, { method: 'POST', body: '{}' })
  const stream = call(b.port, { path: '/stream' })
  stream.catch(() => {})
  await asked.came
  b.become('me')
  t.match(await get, { text: 'b:' })
  t.match(await post, { status: 503, text: /may have happened/ })
  await t.rejects(stream, { code: 'ECONNRESET' })
})

tap.test('a WebSocket waits for an owner, too', async t => {
  const wss = new WebSocketServer({ noServer: true })
  const a = await nodeHere(t, {
    name: 'a',
    owner: 'me',
    upgrade: (message, socket, head) => wss.handleUpgrade(message, socket, head, ws => ws.send('hello')),
  })
  const b = await nodeHere(t, { name: 'b' })
  const client = new Client(`ws://127.0.0.1:${b.port}/ws`)
  await untilHeld(b, 1)
  b.become({ url: a.url })
  t.equal(String((await once(client, 'message'))[0]), 'hello')
  client.terminate()
})

tap.test('a standby answers some paths itself, and the owner answers them with its routes', async t => {
  const own = new Map([
    ['/readyz', (_: IncomingMessage, response: http.ServerResponse) => void response.end('standby')],
  ])
  const { owner, standby } = await pairHere(t, {}, { own })
  t.match(await call(standby.port, { path: '/healthz' }), { status: 200, text: '{"status":"ok"}' })
  t.match(await call(standby.port, { path: '/readyz?verbose' }), { text: 'standby' })
  t.match(await call(standby.port, { path: '/readyz', method: 'POST' }), { text: 'a' })
  t.match(await call(owner.port, { path: '/healthz' }), { text: 'a' })
  standby.become(undefined)
  t.match(await call(standby.port, { path: '/healthz' }), { text: '{"status":"ok"}' })
})

tap.test('paths of nodes are there for nodes only, at any node', async t => {
  const { owner, standby } = await pairHere(t)
  for (const node of [owner, standby]) {
    for (const path of ['/cluster', '/cluster/keys', '/cluster/status?x=1', '/cluster/']) {
      const answer = await call(node.port, { path })
      t.equal(answer.status, 404)
      t.match(errorIn(answer), { code: -32601 })
    }
    const { text } = owner.hops.sign({ method: 'GET', path: '/cluster/status' })
    t.match(await call(node.port, { path: '/cluster/status', headers: { 'reprise-hop': text } }), {
      text: 'node',
    })
  }
  // A path that only resembles one goes to the routes of the owner.
  t.match(
    await exchange(standby.port, 'GET /x/../cluster/keys HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'),
    /\r\na\r?\n?/,
  )
})
