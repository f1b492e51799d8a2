// Paths and methods that do not exist, and ids that look like something else.
import t from 'tap'
import { exchange, read } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'

const { api, url, lines } = await serveHere(t)
const raw = (method: string, path: string, ...more: string[]) =>
  exchange(
    url,
    [
      `${method} ${path} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${adminToken}`,
      'Connection: close',
      ...more,
      '',
      '',
    ].join('\r\n'),
  )

const routes: Record<string, string[]> = {
  '/v1/tasks': ['GET', 'POST'],
  '/v1/tasks/x': ['DELETE', 'GET'],
  '/v1/tasks/x/events': ['GET'],
  '/v1/tasks/x/cancel': ['POST'],
  '/v1/tasks/x/pause': ['POST'],
  '/v1/tasks/x/resume': ['POST'],
  '/v1/auth/tokens': ['GET', 'POST'],
  '/v1/auth/tokens/x': ['DELETE'],
  '/healthz': ['GET'],
  '/readyz': ['GET'],
}
const methods = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
  'TRACE',
  'QUERY',
  'SEARCH',
]

for (const [path, allowed] of Object.entries(routes)) {
  t.test(`${path} has the methods ${allowed.join(' and ')} and no other`, async t => {
    for (const method of methods.filter(each => !allowed.includes(each))) {
      for (const given of [path, `${path}?limit=1`]) {
        const { status, headers, body } = await raw(method, given, 'Content-Length: 0')
        t.equal(status, 405, `${method} ${given}`)
        t.same((headers.allow ?? '').split(', ').sort(), allowed)
        if (method !== 'HEAD') t.match(JSON.parse(body), { code: -32601, message: /./ })
      }
    }
    for (const body of ['{}', '{', 'a=b']) {
      const { status } = await read(
        api('PUT', path.replace(/^\/v1/, ''), body, { 'content-type': 'text/plain' }),
      )
      if (path.startsWith('/v1')) t.equal(status, 405, 'whatever the body is')
    }
  })
}

t.test('a path that is not there is a 404, whatever is sent to it', async t => {
  const paths = [
    '/',
    '/v1',
    '/v1/',
    '/v1/task',
    '/v1/tasks/x/nothing',
    '/v1/tasks/x/cancel/y',
    '/v2/tasks',
    '/v1//tasks',
    '/V1/TASKS',
    '/v1/tasks/x/',
    '/favicon.ico',
    '/v1/../v1/x',
    '/..%2f..%2fetc/passwd',
    '//evil.example/v1/x',
  ]
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, body, headers } = await raw(method, path, 'Content-Length: 0')
      t.equal(status, 404, `${method} ${path}`)
      t.match(JSON.parse(body), { code: -32601 })
      t.equal(headers.allow, undefined)
    }
  }
  for (const [text, type] of [
    ['{', 'application/json'],
    ['x', 'text/plain'],
    ['x', ''],
  ]) {
    const { status } = await read(api('POST', '/nothing', text, { 'content-type': type ?? '' }))
    t.equal(status, 404, `a body of type "${type}"`)
  }
})

t.test('an odd id in a path is an id of nothing', async t => {
  const ids = [
    '%00',
    'a%00b',
    '%2F',
    'a%2Fb',
    '%2e%2e',
    '%252e',
    '%0d%0aX-Injected:%20x',
    '%F0%9F%98%80',
    '%ED%A0%80',
    '%22%3Cscript%3E',
    "'%20OR%201=1",
    ';',
    '*',
    '__proto__',
    'constructor',
    'x'.repeat(300),
    'x'.repeat(4000),
    '%F0'.repeat(100),
  ]
  for (const id of ids) {
    for (const [method, tail] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/cancel'],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['GET', '/events'],
    ] as const) {
      const { status, body, headers } = await raw(method, `/v1/tasks/${id}${tail}`, 'Content-Length: 0')
      t.equal(status, 404, `${method} ${id.slice(0, 30)}${tail}`)
      const answer = JSON.parse(body) as { code?: number; error?: { code: number } }
      t.match(answer.code ?? answer.error?.code, /^-32(001|601)$/)
      t.equal(headers['x-injected'], undefined)
    }
  }
})

t.test('a path that cannot be decoded is a 404', async t => {
  for (const id of ['%zz', '%', '%1', '%ff', '%C3%28', '%E0%A4%A']) {
    const { status, headers, body } = await raw('GET', `/v1/tasks/${id}`)
    t.equal(status, 404, id)
    t.equal(headers['x-api-version'], '2.3.0')
    t.match(JSON.parse(body), { code: Number, message: /./ })
  }
})

t.test('a path of any length is answered', async t => {
  for (const length of [5000, 14_000])
    t.match((await raw('GET', `/v1/tasks/${'x'.repeat(length)}`)).status, /^4\d\d$/)
  t.match((await raw('GET', `/v1/tasks?${'a=b&'.repeat(3000)}`)).status, /^(200|4\d\d)$/)
  t.match((await raw('GET', `/v1/tasks?${'status=completed&'.repeat(800)}`)).status, 200)
})

t.test('header values cannot be made into headers', async t => {
  const { status, headers } = await read(
    api('POST', '/tasks', {
      user_message_content: 'x',
      stream: false,
      client_id: 'echo',
      request_id: 'a%0d%0aX-Injected: b',
    }),
  )
  t.equal(status, 200)
  t.equal(headers.get('x-injected'), null)
  const latin = await raw('GET', '/v1/tasks', 'X-Request-ID: caf\u00e9')
  t.equal(latin.status, 200)
})

t.test('health needs no token and says what it sees', async t => {
  for (const [path, body] of [
    ['/healthz', { status: 'ok' }],
    ['/readyz', { status: 'ready', log: 'ok', read_models: 'ok' }],
  ] as const) {
    const answer = await fetch(url + path)
    t.equal(answer.status, 200)
    t.match(await answer.json(), body)
  }
})

t.test('the operator was told of no error, and the server is well', async t => {
  t.same(
    lines.filter(line => line.level === 'error'),
    [],
  )
  t.equal((await api('GET', '/tasks')).status, 200)
})
