// What the gateway of a node answers without the routes has the headers and the form of the answers of the routes; and long
// heads of requests pass from node to node.
import { once } from 'node:events'
import { maxHeaderSize } from 'node:http'
import tap, { type Test } from 'tap'
import WebSocket from 'ws'
import { everyAnswer } from '../../src/contract/answer-headers.ts'
import { createStanding } from '../../src/node/standing.ts'
import { read } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { answersOf, exchange, nodeHere, pairHere } from './nodes-here.ts'

const origin = 'https://app.example'
const headers = { origin, 'x-request-id': 'mine' }
const ofAnswers = /^(access-control-.*|vary|x-api-version|x-request-id|retry-after|content-type)$/
const common = (answer: { headers: Headers }) =>
  Object.fromEntries([...answer.headers].filter(([name]) => ofAnswers.test(name)))

/** What a server with routes says about a request that it refuses. */
const ofRoutes = async (t: Test, where: string) => {
  const { url } = await serveHere(t, { ALLOWED_ORIGINS: origin })
  return read(fetch(`${url}${where}`, { headers: { ...headers, authorization: `Bearer ${adminToken}` } }))
}

tap.test('a refusal of the gateway looks like a refusal of the routes', async t => {
  const node = await nodeHere(t, { name: 'a', allowedOrigins: [origin], holdMs: 1 })
  for (const where of ['/v1/tasks', '/v1/agents']) {
    const refused = await read(fetch(`${node.url}${where}`, { headers }))
    const { body } = refused
    t.equal(refused.status, 503)
    t.match(common(refused), {
      'access-control-allow-origin': origin,
      'access-control-expose-headers': /Retry-After/,
      'retry-after': '1',
      vary: 'Origin',
      'x-api-version': everyAnswer['X-API-Version'].value,
      'x-request-id': 'mine',
    })
    if (where === '/v1/tasks') t.match(body, { jsonrpc: '2.0', id: 'mine', error: { code: -32603 } })
    else t.match(body, { code: -32603, message: /no node of the cluster owns/ })
  }
  const missing = await read(fetch(`${node.url}/cluster/status`, { headers }))
  const routes = await ofRoutes(t, '/v1/nowhere')
  t.same(common(missing), common(routes))
  t.same(missing.body, routes.body)
})

tap.test('an origin that the operator does not name sees nothing', async t => {
  const node = await nodeHere(t, { name: 'a', allowedOrigins: [origin], holdMs: 1 })
  const answer = await fetch(`${node.url}/v1/tasks`, { headers: { origin: 'https://other.example' } })
  t.equal(answer.status, 503)
  t.equal(answer.headers.get('access-control-allow-origin'), null)
  t.equal(answer.headers.get('vary'), 'Origin')
})

tap.test('a WebSocket that the gateway refuses gets the same headers', async t => {
  const node = await nodeHere(t, { name: 'a', allowedOrigins: [origin], holdMs: 1 })
  const client = new WebSocket(`ws://127.0.0.1:${node.port}/ws`, { headers })
  const [, answer] = await once(client, 'unexpected-response')
  t.match(answer.headers, { 'access-control-allow-origin': origin, 'x-request-id': 'mine' })
  client.on('error', () => {}).terminate()
})

tap.test('what a standby says of itself has the headers of every answer', async t => {
  const { headersOf } = answersOf([origin])
  const own = createStanding({
    headersOf,
    inCluster: () => ({ node: 'a', role: 'standby', owner: null, conditions: [] }),
    counts: () => ({ isOwner: false, sequence: 1, takeovers: 0, lag: 0, isAlone: false, conditions: {} }),
    position: () => 1,
    isReady: () => true,
  })
  const node = await nodeHere(t, { name: 'a', own, allowedOrigins: [origin] })
  for (const where of ['/readyz', '/metrics', '/healthz']) {
    const answer = await fetch(`${node.url}${where}`, { headers })
    t.equal(answer.status, 200)
    t.match(common(answer), { 'access-control-allow-origin': origin, 'x-request-id': 'mine' }, where)
    t.equal(answer.headers.get('x-api-version'), everyAnswer['X-API-Version'].value)
  }
})

/** A request whose head has so many bytes, counted as Node counts it. */
const withHead = (bytes: number) => {
  const names = 'hostxconnectioncloselarge'.length + '/a'.length
  return `GET /a HTTP/1.1\r\nhost: x\r\nconnection: close\r\nlarge: ${'x'.repeat(bytes - names)}\r\n\r\n`
}

tap.test('a head that a node takes passes through a standby, and a longer one is refused alike', async t => {
  const { owner, standby } = await pairHere(t, {
    request: (message, response) => response.end(`got ${message.headers.large?.length}`),
  })
  const [direct, through] = [exchange(owner.port, withHead(maxHeaderSize - 1)), withHead(maxHeaderSize - 1)]
  t.match(await direct, /\r\n\r\ngot 16\d\d\d$/)
  t.match(await exchange(standby.port, through), /\r\n\r\n(\w+\r\n)?got 16\d\d\d/)
  for (const bytes of [maxHeaderSize, maxHeaderSize + 500]) {
    for (const node of [owner, standby]) {
      const answer = await exchange(node.port, withHead(bytes))
      t.match(answer, /^HTTP\/1.1 400 /)
      t.match(answer, /connection: close/i)
      t.match(answer, /the server cannot read this as an HTTP request/)
    }
  }
  const single = await serveHere(t)
  t.match(
    await exchange(Number(new URL(single.url).port), withHead(maxHeaderSize)),
    /^HTTP\/1.1 400 .*cannot read this as an HTTP request/s,
  )
})

tap.test('a request with very many headers is still known as one of a node', async t => {
  const { owner, standby } = await pairHere(t, {
    request: (message, response) => response.end(String(message.headers['reprise-hop'] ?? 'removed')),
  })
  const many = Array.from({ length: 1990 }, (_, n) => `h${n}:`).join('\r\n')
  const get = `GET /a HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${many}\r\n\r\n`
  const answer = await exchange(standby.port, get)
  // Node 24 refuses such a request itself, so that it reaches no node. Earlier versions drop the last headers.
  if (/^HTTP\/1\.1 431 /.test(answer)) return
  t.match(answer, /removed/)
  owner.become({ url: standby.url }) // each takes the other one for the owner
  const post = `POST /a HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n${many}\r\n\r\n{}`
  const waiting = exchange(standby.port, post)
  while (standby.board.held() === 0) await new Promise(resolve => setImmediate(resolve))
  standby.become('me')
  t.match(await waiting, /\r\n\r\n(\w+\r\n)?b/)
})
