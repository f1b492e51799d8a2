// Requests whose owner was lost while it worked on them: those that an owner recognizes when they come again are sent
// again, and the others are answered with what the client must know.
import { once } from 'node:events'
import http, { IncomingMessage, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import tap, { type Test } from 'tap'
import { createBufferedBodies } from '../../src/cluster/gateway/buffered-bodies.ts'
import { bodyOf, moment, type Node, nodeHere } from './nodes-here.ts'

type Sent = { path?: string; key?: string; headers?: http.OutgoingHttpHeaders }

/** Begins a POST. The caller sends its body. */
const begin = (port: number, { path = '/v1/tasks', key, headers = {} }: Sent) => {
  const request = http.request({
    ...{ port, host: '127.0.0.1', method: 'POST', path, agent: false },
    headers: { ...(key === undefined ? {} : { 'idempotency-key': key }), ...headers },
  })
  const answer = once(request, 'response').then(async ([message]) => {
    const { statusCode: status, headers: got } = message as IncomingMessage
    return { status, headers: got, text: String(await bodyOf(message as IncomingMessage)) }
  })
  return { request, answer }
}
const post = (port: number, body: string, sent: Sent = {}) => {
  const { request, answer } = begin(port, sent)
  request.end(body)
  return answer
}

/** A node that answers with its name and the body. */
const named = (t: Test, name: string, owner?: 'me') =>
  nodeHere(t, {
    name,
    ...(owner === undefined ? {} : { owner }),
    request: (message, response) => void bodyOf(message).then(body => response.end(`${name}:${body}`)),
  })

/** An owner that dies when it has the whole body of a request; and how many requests it has taken. */
const mortal = async (t: Test, name = 'a') => {
  const died = moment()
  const taken: string[] = []
  const node: Node = await nodeHere(t, {
    name,
    owner: 'me',
    request: message =>
      void bodyOf(message).then(body => {
        taken.push(String(body))
        node.die()
        died.happen()
      }),
  })
  return { node, taken, died: died.came }
}

const bodies = { short: '{"a":1}', long: 'x'.repeat(256 * 1024), empty: '' }

for (const [what, body] of Object.entries(bodies)) {
  tap.test(`a request with a key and a ${what} body is sent again to the next owner`, async t => {
    for (const next of ['b', 'c']) {
      const { node: a, taken, died } = await mortal(t)
      const [b, c] = [await named(t, 'b'), await named(t, 'c', 'me')]
      b.become({ url: a.url })
      const answer = post(b.port, body, { key: 'one' })
      await died
      b.become(next === 'b' ? 'me' : { url: c.url })
      t.match(await answer, { status: 200, text: `${next}:${body}` })
      t.same(taken, [body])
    }
  })
}

tap.test('a body that was on its way when the owner was lost goes on to the next one', async t => {
  for (const next of ['b', 'c']) {
    const half = moment()
    const a = await nodeHere(t, {
      name: 'a',
      owner: 'me',
      request: message => void message.once('data', () => half.happen()),
    })
    const [b, c] = [await named(t, 'b'), await named(t, 'c', 'me')]
    b.become({ url: a.url })
    const { request, answer } = begin(b.port, { key: 'one', headers: { 'content-length': 10 } })
    request.write('12345')
    await half.came
    a.die()
    b.become(next === 'b' ? 'me' : { url: c.url })
    request.end('67890')
    t.match(await answer, { status: 200, text: `${next}:1234567890` })
  }
})

tap.test('a request that no owner would recognize is not sent again', async t => {
  const key = 'one'
  const cases: Record<string, [body: string, Sent]> = {
    'no key': ['{}', {}],
    'an empty key': ['{}', { key: '' }],
    'a path that takes no keys': ['{}', { key, path: '/v1/tasks/t/cancel' }],
    'a body that is too long to be kept': ['x'.repeat(256 * 1024 + 1), { key }],
    'a body without a length': ['{}', { key, headers: { 'transfer-encoding': 'chunked' } }],
  }
  for (const [what, [body, sent]] of Object.entries(cases)) {
    const { node: a, died } = await mortal(t)
    const b = await named(t, 'b')
    b.become({ url: a.url })
    const answer = post(b.port, body, sent)
    await died
    b.become('me')
    t.match(await answer, { status: 503, text: /may have happened/ }, what)
  }
})

tap.test('every operation that takes keys is sent again', async t => {
  const paths = [
    '/v1/tasks',
    '/v1/tasks/a%2Fb/messages?x=1',
    '/v1/tasks/t/fork',
    '/v1/env/create',
    '/v1/env/step',
    '/v1/env/reset',
    '/v1/cron/jobs',
    '/v1/cron/jobs/j/trigger',
    '/v1/webhooks',
  ]
  for (const path of paths) {
    const { node: a, died } = await mortal(t)
    const b = await named(t, 'b')
    b.become({ url: a.url })
    const answer = post(b.port, '{}', { path, key: 'one' })
    await died
    b.become('me')
    t.match(await answer, { status: 200, text: 'b:{}' }, path)
  }
})

tap.test('a request that ends each owner is sent to three of them', async t => {
  const owners = [await mortal(t, 'a'), await mortal(t, 'c'), await mortal(t, 'd'), await mortal(t, 'e')]
  const b = await named(t, 'b')
  b.become({ url: owners[0]?.node.url ?? '' })
  const answer = post(b.port, '{}', { key: 'one' })
  for (const [n, owner] of owners.slice(0, 3).entries()) {
    await owner.died
    b.become({ url: owners[n + 1]?.node.url ?? '' })
  }
  t.match(await answer, { status: 503, text: /may have happened/ })
  t.same(
    owners.map(({ taken }) => taken.length),
    [1, 1, 1, 0],
  )
})

tap.test(
  'a lost request waits for the next owner from then on, and is told that it may have happened',
  async t => {
    const began = moment()
    const a = await nodeHere(t, { name: 'a', owner: 'me', request: () => began.happen() })
    const b = await nodeHere(t, { name: 'b', owner: { url: a.url }, holdMs: 60 })
    const answer = post(b.port, '{}', { key: 'one' })
    await began.came
    await new Promise(resolve => setTimeout(resolve, 80)) // longer than a request waits for an owner
    b.become(undefined)
    a.die()
    while (b.board.held() === 0) await new Promise(resolve => setImmediate(resolve))
    t.match(await answer, { status: 503, text: /may have happened/ })
  },
)

/** An owner that answers when it is told to: 503 like a server that stops, or 200. */
const leaving = async (t: Test) => {
  const [asked, left] = [moment(), moment<number>()]
  const node = await nodeHere(t, {
    name: 'a',
    owner: 'me',
    async request(_: IncomingMessage, response: ServerResponse) {
      asked.happen()
      response.writeHead(await left.came, { 'content-type': 'text/plain', 'x-own': '1' }).end('of the owner')
    },
  })
  return { node, asked: asked.came, answer: left.happen }
}

tap.test(
  'a 503 of an owner that gives the log up is not an answer, if the request can be sent again',
  async t => {
    for (const [sent, status, expected] of [
      [{ key: 'one' }, 503, { status: 200, text: 'b:{}' }],
      [{}, 503, { status: 503, text: 'of the owner' }],
      [{ key: 'one' }, 200, { status: 200, text: 'of the owner' }],
    ] as const) {
      const { node: a, asked, answer } = await leaving(t)
      const b = await named(t, 'b')
      b.become({ url: a.url })
      const got = post(b.port, '{}', sent)
      await asked
      a.become(undefined)
      answer(status)
      while (status === 503 && 'key' in sent && b.board.held() === 0)
        await new Promise(resolve => setImmediate(resolve))
      b.become('me')
      const found = await got
      t.match(found, expected)
      t.notOk(Object.keys(found.headers).some(name => name.startsWith('reprise-')))
    }
  },
)

tap.test('a 503 of an owner that stays is an answer', async t => {
  const { node: a, asked, answer } = await leaving(t)
  const b = await named(t, 'b')
  b.become({ url: a.url })
  const got = post(b.port, '{}', { key: 'one' })
  await asked
  answer(503)
  t.match(await got, { status: 503, text: 'of the owner', headers: { 'x-own': '1' } })
})

tap.test('requests of another node that wait at a node which stops go on there', async t => {
  const a = await named(t, 'a')
  const b = await named(t, 'b')
  b.become({ url: a.url })
  const answer = post(b.port, '{}')
  while (a.board.held() === 0) await new Promise(resolve => setImmediate(resolve))
  a.stopping.abort()
  while (b.board.held() === 0) await new Promise(resolve => setImmediate(resolve))
  b.become('me')
  t.match(await answer, { status: 200, text: 'b:{}' })
})

tap.test('kept bodies have a limit together, and it is free again when they are', t => {
  const bodies = createBufferedBodies(10)
  const message = (length?: string) =>
    Object.assign(new IncomingMessage(new Socket()), {
      headers: length === undefined ? {} : { 'content-length': length },
    })
  const first = bodies.buffer(message('6'))
  t.ok(first)
  t.notOk(bodies.buffer(message('5')))
  t.notOk(bodies.buffer(message()))
  t.ok(bodies.buffer(message('4')))
  first?.free()
  first?.free()
  t.equal(bodies.bytes(), 4)
  t.ok(bodies.buffer(message('6')))
  t.end()
})

tap.test('a body is kept only until the answer begins, or the client is gone', async t => {
  const asked = moment()
  const a = await nodeHere(t, {
    name: 'a',
    owner: 'me',
    request(message, response) {
      void bodyOf(message).then(() => {
        if (message.url === '/v1/tasks') response.write('a stream begins')
        else asked.happen()
      })
    },
  })
  const b = await nodeHere(t, { name: 'b', owner: { url: a.url } })
  const stream = begin(b.port, { key: 'one' })
  stream.answer.catch(() => {})
  stream.request.end('x'.repeat(1000))
  await once(stream.request, 'response')
  t.equal(b.board.bufferedBytes(), 0)
  const silent = begin(b.port, { key: 'two', path: '/v1/env/step' })
  silent.answer.catch(() => {})
  silent.request.end('x'.repeat(1000))
  await asked.came
  t.equal(b.board.bufferedBytes(), 1000)
  silent.request.destroy()
  while (b.board.bufferedBytes() > 0) await new Promise(resolve => setImmediate(resolve))
  stream.request.destroy()
})
