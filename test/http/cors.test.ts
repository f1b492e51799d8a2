// Pages of other servers: what a browser lets them see, when the operator names their origin, and when nobody did.
import t from 'tap'
import { readConfig } from '../../src/config.ts'
import { read } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'

const origin = 'https://app.example'
const authorization = `Bearer ${adminToken}`
const corsOf = ({ headers }: Response): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-') || name === 'vary'))

t.test('without ALLOWED_ORIGINS nothing of it is said', async t => {
  const { url } = await serveHere(t)
  for (const path of ['/v1/tasks', '/healthz']) {
    const answer = await fetch(`${url}${path}`, { headers: { origin, authorization } })
    t.same([answer.status, corsOf(answer)], [200, {}])
  }
  const headers = { origin, 'access-control-request-method': 'POST' }
  const preflight = await fetch(`${url}/v1/tasks`, { method: 'OPTIONS', headers })
  t.same([preflight.status, corsOf(preflight)], [405, {}])
})

t.test('a named origin sees answers, refusals and streams, with our headers, and no other does', async t => {
  const { url, api } = await serveHere(t, { ALLOWED_ORIGINS: `http://localhost:3000,${origin} ` })
  const allowed = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers':
      'X-Request-Id, X-Task-Id, X-API-Version, X-Ignored-Query, X-Ignored-Fields, X-Did-You-Mean, Preference-Applied, Content-Location, Link, Retry-After, Idempotency-Replayed, Mcp-Session-Id, WWW-Authenticate',
    vary: 'Origin',
  }
  const asked: [string, object, number][] = [
    ['/v1/tasks', { authorization }, 200],
    ['/v1/tasks', {}, 401],
    ['/v1/nowhere', { authorization }, 404],
    ['/v1/tasks?limit=x', { authorization }, 422],
    ['/api/events', { authorization }, 200],
    ['/healthz', {}, 200],
  ]
  for (const [path, more, status] of asked) {
    const answer = await fetch(`${url}${path}`, { headers: { origin, ...more } })
    await answer.body?.cancel()
    t.same([answer.status, corsOf(answer)], [status, allowed], path)
    for (const other of ['https://app.example.evil', 'null', 'http://app.example']) {
      const refused = await fetch(`${url}${path}`, { headers: { origin: other, ...more } })
      await refused.body?.cancel()
      t.same(corsOf(refused), { vary: 'Origin' }, other)
    }
  }
  const body = { user_message_content: 'x', stream: true, client_id: 'echo' }
  const stream = await read(api('POST', '/tasks', body, { origin }))
  t.equal(stream.headers.get('access-control-allow-origin'), origin, 'a stream of a task')
})

t.test(
  'a preflight is answered to a named origin, without a token, whatever headers it asks for',
  async t => {
    const { url } = await serveHere(t, { ALLOWED_ORIGINS: origin })
    const wanted = 'authorization,content-type,x-stainless-retry-count'
    const preflight = (headers: Record<string, string>) =>
      fetch(`${url}/v1/tasks/x/cancel`, { method: 'OPTIONS', headers })
    const answer = await preflight({
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': wanted,
    })
    t.equal(answer.status, 204)
    t.match(corsOf(answer), {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
      'access-control-allow-headers': wanted,
      'access-control-max-age': '600',
    })
    t.notOk(answer.headers.has('access-control-allow-credentials'))
    t.equal(answer.headers.get('x-api-version'), '2.3.0')
    t.match(answer.headers.get('x-request-id'), /^req_/)
    t.equal(
      (await preflight({ origin: 'https://evil.example', 'access-control-request-method': 'POST' })).status,
      405,
    )
    t.equal((await preflight({ origin })).status, 405, 'that is no preflight')
  },
)

t.test('a star names them all', async t => {
  const { url } = await serveHere(t, { ALLOWED_ORIGINS: '*' })
  for (const origin of ['https://anybody.example', 'null']) {
    const answer = await fetch(`${url}/healthz`, { headers: { origin } })
    t.equal(answer.headers.get('access-control-allow-origin'), origin)
  }
})

t.test('what is no origin keeps the server from starting', async t => {
  t.same(readConfig({}).allowedOrigins, [])
  t.same(readConfig({ ALLOWED_ORIGINS: ' https://a.example , * ,' }).allowedOrigins, [
    'https://a.example',
    '*',
  ])
  for (const wrong of [
    'app.example',
    'https://app.example/',
    'https://App.example',
    'https://*.example',
    'null',
    'https://a.example https://b.example',
  ]) {
    t.throws(() => readConfig({ ALLOWED_ORIGINS: wrong }), { message: /^ALLOWED_ORIGINS: / }, wrong)
  }
})
