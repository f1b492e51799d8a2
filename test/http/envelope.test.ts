// The id of a request and the headers that every answer has.
import t from 'tap'
import { exchange, read } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'

const { api, url } = await serveHere(t)
const body = { user_message_content: 'hello', stream: false, client_id: 'echo' }

t.test('the id of the envelope is the request_id of the body', async t => {
  const { headers, body: answer } = await read(
    api('POST', '/tasks', { ...body, request_id: 'mine' }, { 'x-request-id': 'of the header' }),
  )
  t.equal(answer.id, 'mine')
  t.equal(headers.get('x-request-id'), 'mine')
})

t.test('else the header X-Request-ID', async t => {
  for (const call of [
    api('POST', '/tasks', body, { 'x-request-id': 'h-1' }),
    api('GET', '/tasks', undefined, { 'x-request-id': 'h-1' }),
  ]) {
    const { headers, body: answer } = await read(call)
    t.equal(answer.id, 'h-1')
    t.equal(headers.get('x-request-id'), 'h-1')
  }
})

t.test('else a new one', async t => {
  const answers = await Promise.all(
    [1, 2, 3].map(() => read(api('POST', '/tasks', { ...body, request_id: null }))),
  )
  const ids = answers.map(answer => answer.body.id)
  t.equal(new Set(ids).size, 3)
  for (const { headers, body: answer } of answers) t.equal(headers.get('x-request-id'), answer.id)
})

t.test('an id in a header has no control characters and at most 256 others', async t => {
  for (const name of ['x-request-id', 'idempotency-key'])
    for (const id of ['a\tb', 'a\u0085b', 'x'.repeat(257)]) {
      const { status, body: answer } = await read(api('POST', '/tasks', body, { [name]: id }))
      t.equal(status, 422, `${name}: ${JSON.stringify(id)}`)
      t.match(answer, { detail: [{ loc: ['header', name] }] })
    }
})

t.test('an id that is no header text travels percent-encoded in the header', async t => {
  const request_id = 'Zoë 😀'
  const { headers, body: answer } = await read(api('POST', '/tasks', { ...body, request_id }))
  t.equal(answer.id, request_id)
  t.equal(decodeURIComponent(headers.get('x-request-id') ?? ''), request_id)
})

t.test('a refused create answers with its own id, in the header and in the envelope', async t => {
  const refused = await read(api('POST', '/tasks', { ...body, request_id: 'r-1' }, { authorization: 'no' }))
  t.equal(refused.body.id, refused.headers.get('x-request-id'))
  const invalid = await read(api('POST', '/tasks', { ...body, stream: 1 }, { 'x-request-id': 'r-2' }))
  t.equal(invalid.headers.get('x-request-id'), 'r-2')
})

t.test('an X-Request-ID that is too long is refused, and an empty one is as good as none', async t => {
  const long = await read(api('POST', '/tasks', body, { 'x-request-id': 'a'.repeat(257) }))
  t.equal(long.status, 422)
  t.match(long.body.detail, [{ loc: ['header', 'x-request-id'] }])
  const other: [string, string, string, Record<string, string>?][] = [
    ['404', 'GET', '/nothing'],
    ['404', 'GET', '/tasks//machine'],
    ['405', 'PUT', '/tasks'],
    ['401', 'GET', '/tasks', { authorization: 'no' }],
  ]
  for (const [status, method, path, headers] of other)
    t.equal(
      `${(await api(method, path, undefined, { 'x-request-id': 'a'.repeat(257), ...headers })).status}`,
      status,
      'an id says nothing about a request that is refused anyhow',
    )
  const empty = await read(api('POST', '/tasks', body, { 'x-request-id': '' }))
  t.equal(empty.status, 200)
  t.match(empty.headers.get('x-request-id'), /^req_/)
})

const made = await read(api('POST', '/tasks', body))
const where = `/tasks/${made.body.result.id}`
const asked: [string, string, string, unknown?, Record<string, string>?][] = [
  ['a create', 'POST', '/tasks', body],
  ['a streamed create', 'POST', '/tasks', { ...body, stream: true }],
  ['an invalid create', 'POST', '/tasks', {}],
  ['malformed JSON', 'POST', '/tasks', '{'],
  ['another media type', 'POST', '/tasks', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a compressed body', 'POST', '/tasks', '{}', { 'content-encoding': 'gzip' }],
  ['a list', 'GET', '/tasks'],
  ['an invalid list', 'GET', '/tasks?limit=x'],
  ['a task', 'GET', where],
  ['an unknown task', 'GET', '/tasks/nothing'],
  ['a refused cancel', 'POST', `${where}/cancel`],
  ['events as pages', 'GET', `${where}/events`],
  ['events as a stream', 'GET', `${where}/events`, undefined, { accept: 'text/event-stream' }],
  ['nothing left', 'GET', `${where}/events?starting_after=8`, undefined, { accept: 'text/event-stream' }],
  ['no token', 'GET', '/tasks', undefined, { authorization: '' }],
  ['an unknown route', 'GET', '/nothing'],
  ['an unknown route, posted', 'POST', '/nothing', {}],
  ['a wrong method', 'PUT', '/tasks', {}],
  ['HEAD', 'HEAD', '/tasks'],
  ['OPTIONS', 'OPTIONS', '/tasks'],
  ['an empty X-Request-ID', 'GET', '/tasks', undefined, { 'x-request-id': '' }],
  ['health', 'GET', '/../healthz'],
  ['a malformed URL', 'GET', '/tasks/%zz'],
  ['a malformed URL, posted', 'POST', '/tasks/%zz/cancel'],
]
for (const [name, method, path, sent, headers] of asked) {
  t.test(`${name} is answered with X-API-Version and X-Request-ID`, async t => {
    const answer = await read(api(method, path, sent, headers))
    t.equal(answer.headers.get('x-api-version'), '2.3.0')
    t.match(answer.headers.get('x-request-id'), /./)
    t.match(answer.status, /^[24]/)
  })
}

t.test('what is no HTTP at all is answered with X-API-Version', async t => {
  const odd = ['NONSENSE\r\n\r\n', `GET /v1/tasks HTTP/1.1\r\nBad Header: x\r\n\r\n`]
  for (const bytes of odd) {
    const { status, headers, body: text } = await exchange(url, bytes)
    t.equal(status, 400)
    t.equal(headers['x-api-version'], '2.3.0')
    t.match(JSON.parse(text), { code: -32600 })
  }
})

t.test('headers that are too large are refused and do no harm', async t => {
  const { status } = await exchange(url, `GET /v1/tasks HTTP/1.1\r\nX: ${'a'.repeat(200_000)}\r\n\r\n`)
  t.match(status, /^4/)
  t.equal((await api('GET', '/tasks')).status, 200)
})

t.test('a path in absolute form is a path', async t => {
  const { status } = await exchange(
    url,
    `GET ${url}/v1/tasks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nConnection: close\r\n\r\n`,
  )
  t.match(status, /^(200|404)$/)
})
