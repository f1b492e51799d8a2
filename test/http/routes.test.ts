// Paths and methods that do not exist, and ids that look like something else.
import t from 'tap'
import { reservedKinds } from '../../src/contract/environment.ts'
import { operations } from '../../src/documents/operations.ts'
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

/** The methods of each path of the table of operations, with an example in place of each parameter. */
const routes: Record<string, string[]> = {}
for (const { method, path } of operations) {
  const examples: Record<string, string> = { env_id: 'gridworld', delivery_id: '1', level: '0', tile: '000' }
  const example = path.replace(/\{(\w+)\}/g, (_, name: string) => examples[name] ?? 'x')
  routes[example] = [...(routes[example] ?? []), method, ...(method === 'GET' ? ['HEAD'] : [])].sort()
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
        if (method === 'HEAD') continue
        // A path below that of an agent has the form of calls to an agent.
        const said = JSON.parse(body)
        t.match(said.error ?? said, { code: -32601, message: /./ })
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
    'x'.repeat(14_000),
    '%F0'.repeat(100),
    '%zz',
    '%',
    '%1',
    '%ff',
    '%C3%28',
    '%E0%A4%A',
    '%'.repeat(10_000),
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
      const error = { code: -32001, message: /./ }
      t.match(JSON.parse(body), tail === '' && method === 'GET' ? { jsonrpc: '2.0', error } : error)
      t.equal(headers['x-injected'], undefined)
      t.equal(headers['x-api-version'], '2.3.0')
    }
  }
})

t.test('a path that cannot be decoded is read as it is written', async t => {
  const { status, body } = await raw('GET', '/v1/env/100%?x=%zz')
  t.equal(status, 404)
  t.match(JSON.parse(body), { code: -32024, message: /100%/ })
  t.equal((await raw('GET', '/%zz')).status, 404)
  t.equal(
    (await exchange(url, 'GET /v1/tasks/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).status,
    401,
  )
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

t.test('HEAD answers as GET does, without a body, and does not stay open where GET would', async t => {
  const { body } = await read(
    api('POST', '/tasks', { user_message_content: 'x', stream: false, client_id: 'echo' }),
  )
  const { id } = body.result
  const stream = 'Accept: text/event-stream'
  const cases: [string, number, ...string[]][] = [
    ['/v1/tasks', 200],
    [`/v1/tasks/${id}`, 200],
    ['/v1/tasks/nobody', 404],
    ['/v1/tasks?limit=x', 422],
    [`/v1/tasks/${id}/events`, 200],
    [`/v1/tasks/${id}/events`, 200, stream],
    ['/api/events', 200, stream],
    [`/v1/tasks/${id}/rollouts?format=jsonl`, 200],
    ['/v1/rollouts', 200],
    ['/v1/audit/events?limit=1000', 200],
    ['/v1/env', 200],
    ['/v1/env/gridworld', 200],
    ['/v1/env/sessions', 200],
    ['/v1/webhooks', 200],
    ['/v1/webhooks/nobody', 404],
    ['/docs', 200],
    ['/metrics', 200],
  ]
  for (const [where, expected, ...more] of cases) {
    const { status, headers, body, timedOut } = await raw('HEAD', where, ...more)
    t.same([status, body, timedOut], [expected, '', false], `${where} ${more}`)
    t.equal(headers['x-api-version'], '2.3.0')
    if (more.length > 0) t.equal(headers['content-type'], 'text/event-stream')
  }
  t.equal((await fetch(`${url}/v1/tasks`, { method: 'HEAD' })).status, 401)
  t.equal((await fetch(`${url}/ws`, { method: 'HEAD' })).status, 426)
})

t.test('an empty id is a 404 that says which id is empty', async t => {
  for (const [method, where, name] of [
    ['GET', '/v1/tasks/', 'task_id'],
    ['DELETE', '/v1/tasks/', 'task_id'],
    ['POST', '/v1/tasks//cancel', 'task_id'],
    ['GET', '/v1/tasks//events?after=1', 'task_id'],
    ['GET', '/v1/env/', 'env_id'],
    ['GET', '/v1/env/session/', 'session_id'],
    ['DELETE', '/v1/env/session/', 'session_id'],
    ['DELETE', '/v1/auth/tokens/', 'token_id'],
    ['GET', '/v1/webhooks/', 'webhook_id'],
    ['POST', '/v1/webhooks//test', 'webhook_id'],
  ] as const) {
    const { status, body } = await raw(method, where, 'Content-Length: 0')
    t.equal(status, 404, `${method} ${where}`)
    const given = JSON.parse(body) as { code?: number; message?: string; error?: object }
    t.match(given.error ?? given, { code: -32601, message: `the path has an empty ${name}` }, where)
  }
})

t.test('no environment is called like a path of another operation', async t => {
  for (const name of ['session', 'cleanup']) {
    const { status, body } = await raw('GET', `/v1/env/${name}`)
    t.equal(status, 404)
    t.match(JSON.parse(body), { code: -32024 }, name)
  }
  const fixed = Object.keys(routes).flatMap(path => /^\/v1\/env\/(\w+)/.exec(path)?.[1] ?? [])
  for (const name of fixed) t.ok(name === 'gridworld' || reservedKinds.has(name), name)
})

t.test('query parameters that are not known are named in a header', async t => {
  const ignored = async (where: string, method = 'GET') =>
    (await raw(method, where, 'Content-Length: 0')).headers['x-ignored-query']
  t.equal(await ignored('/v1/tasks?limit=1&status=failed&status[]=completed&order=asc'), undefined)
  t.equal(await ignored('/v1/tasks?status[0]=failed&status[1]=completed'), undefined)
  t.equal(await ignored('/v1/tasks?limits=1&state=failed'), 'limits, state')
  t.equal(await ignored('/v1/tasks?limits=1', 'HEAD'), 'limits')
  t.equal(
    await ignored('/v1/tasks?limit[]=1&d%C3%A9j%C3%A0=1&a%0d%0ab=c'),
    'limit%5B%5D, d%C3%A9j%C3%A0, a%0D%0Ab',
  )
  t.equal(await ignored('/v1/tasks/nobody?as_of=1&since=2'), 'since')
  t.equal(await ignored('/v1/env/sessions/cleanup?inactive=1', 'POST'), 'inactive')
  t.equal(await ignored('/healthz?x=1'), 'x')
  t.equal(await ignored(`/v1/tasks?limit=x&more=1`), 'more', 'of a refused request, too')
  const many = Array.from({ length: 100 }, (_, n) => `p${n}=1`).join('&')
  t.equal((await ignored(`/v1/tasks?${many}`))?.split(', ').length, 20)
  const stream = await raw('HEAD', '/api/events?typse=x', 'Accept: text/event-stream')
  t.equal(stream.headers['x-ignored-query'], 'typse')
})

t.test('an empty optional header is as good as none, and booleans are read in any case', async t => {
  const created = { user_message_content: 'x', stream: false, client_id: 'echo' }
  const empty = { 'idempotency-key': '', 'x-request-id': '', 'x-stainless-retry-count': '' }
  const [one, other] = await Promise.all([1, 2].map(() => read(api('POST', '/tasks', created, empty))))
  t.same([one?.status, other?.status], [200, 200])
  t.not(one?.body.result.id, other?.body.result.id, 'no key was given')
  t.match(one?.headers.get('x-request-id'), /^req_/)
  for (const text of ['TRUE', 'True', 'true', 'False', 'FALSE']) {
    t.equal((await api('GET', `/tasks?include_subtasks=${text}`)).status, 200, text)
  }
  for (const text of ['1', 'yes', 'tru', '']) {
    t.equal((await api('GET', `/tasks?include_subtasks=${text}`)).status, 422, text)
  }
})
