// What the operator reads of requests: a line each at `debug`, and without asking only what is slow or has failed.

import { once } from 'node:events'
import { get } from 'node:http'
import path from 'node:path'
import { Readable } from 'node:stream'
import Database from 'better-sqlite3'
import { fastify } from 'fastify'
import t from 'tap'
import type { App } from '../../src/http/request/request.ts'
import { watchRequests } from '../../src/http/request/request-end.ts'
import { createRequestCounts } from '../../src/metrics/request-counts.ts'
import { exchange, read, until } from '../support/http.ts'
import { adminToken, serveHere, spawnServer } from '../support/server.ts'

type Line = Record<string, unknown> & { message: string; request_id: string; route: string }
/** The lines of requests; what tasks and the server itself do has others. */
const requestsIn = (text: string): Line[] =>
  text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Line)
    .filter(({ message }) => message === 'request')

t.test('at debug every request is a line of JSON, with its id and nothing that it held', async t => {
  const { api, url, stderr } = await spawnServer(t, t.testdir({}), { LOG_LEVEL: 'debug' })
  const secret = 's3cret'
  const known = { 'x-request-id': 'mine' }
  await read(api('GET', `/tasks/${secret}?as_of=${secret}`, undefined, { ...known, 'user-agent': secret }))
  await read(api('POST', '/tasks', { user_message_content: secret, stream: false, client_id: 'echo' }))
  await read(api('POST', '/tasks', { user_message_content: secret, stream: true, client_id: 'echo' }))
  await read(api('POST', '/tasks', `{"a":"${secret}`))
  await read(fetch(`${url}/${secret}`))
  await read(fetch(`${url}/api/events?ticket=${secret}`))
  await read(fetch(`${url}/healthz`))
  const text = () => stderr()
  await until(() => requestsIn(text()).length >= 7)
  const lines = requestsIn(text())
  t.same(
    lines.map(({ level, message, method, route, status }) => [level, message, method, route, status]),
    [
      ['debug', 'request', 'GET', '/v1/tasks/:task_id', 422],
      ['debug', 'request', 'POST', '/v1/tasks', 200],
      ['debug', 'request', 'POST', '/v1/tasks', 200],
      ['debug', 'request', 'POST', '/v1/tasks', 422],
      ['debug', 'request', 'GET', 'none', 404],
      ['debug', 'request', 'GET', '/api/events', 401],
      ['debug', 'request', 'GET', '/healthz', 200],
    ],
  )
  t.equal(lines[0]?.request_id, 'mine')
  for (const line of lines) {
    t.same(Object.keys(line), ['time', 'level', 'message', 'method', 'route', 'status', 'ms', 'request_id'])
    t.ok(Number.isInteger(line.ms) && line.request_id.length > 0)
  }
  t.notOk(text().includes(secret))
  t.notOk(text().includes(adminToken))
})

t.test('an answer that was cut says so', async t => {
  const { url, lines } = await serveHere(t, { LOG_LEVEL: 'debug' })
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${adminToken}` }
  const request = get(`${url}/api/events`, { headers })
  const [response] = await once(request, 'response')
  response.destroy()
  await until(() => lines.length > 0)
  t.match(lines, [{ level: 'debug', fields: { route: '/api/events', status: 200, cut: true } }])
})

t.test('an id cannot begin a line of its own', async t => {
  const { url, stderr } = await spawnServer(t, t.testdir({}), { LOG_LEVEL: 'debug' })
  const send = (id: string) => {
    const head = ['GET /healthz HTTP/1.1', 'Host: x', `X-Request-ID: ${id}`, 'Connection: close', '', '']
    return exchange(url, Buffer.from(head.join('\r\n'), 'latin1'))
  }
  const id = 'a \u00e9 {"level":"error"}'
  await send(id)
  await send(`a\u0085${id}`)
  await until(() => requestsIn(stderr()).length > 1)
  const [kept, refused] = requestsIn(stderr())
  t.match(kept, { level: 'debug', request_id: id, status: 200 })
  t.match(
    refused,
    { level: 'debug', request_id: /^req_/, status: 422 },
    'U+0085 ends a line for some readers',
  )
})

t.test('unless it is asked for, only what has failed is a line', async t => {
  const { api, url, dataDir, lines } = await serveHere(t)
  await read(api('POST', '/tasks', { user_message_content: 'x', stream: false, client_id: 'echo' }))
  for (const where of ['/tasks/none', '/nothing', '/tasks?limit=x']) await read(api('GET', where))
  await read(fetch(`${url}/v1/tasks`))
  const quick = lines.filter(({ fields }) => (fields as { ms: number }).ms < 1000)
  t.same(quick, [])
  const db = new Database(path.join(dataDir, 'log.db'))
  db.exec('DROP TRIGGER events_are_never_changed')
  db.exec("UPDATE events SET leaf = '' WHERE position = 2")
  db.close()
  const { status, headers } = await read(api('GET', '/audit/events'))
  t.equal(status, 503)
  const request_id = headers.get('x-request-id')
  const failed = () => lines.filter(({ fields }) => (fields as { status: number }).status === 503)
  await until(() => failed().length > 0)
  t.match(failed(), [
    { level: 'warn', message: 'request', fields: { method: 'GET', route: '/v1/audit/events', request_id } },
  ])
})

t.test('what had only to be looked up and took longer than a second is a line', async t => {
  const lines: { level: string; fields: unknown }[] = []
  const app = fastify()
  app.decorateRequest('envelopeId', 'id')
  const requests = createRequestCounts()
  const gate = {
    report: (level: string, _: string, fields?: object) => void lines.push({ level, fields }),
    verbose: false,
    requests,
  }
  watchRequests(app as unknown as App, gate, { stopping: new AbortController().signal })
  const later = () => new Promise(resolve => setTimeout(resolve, 1050))
  async function* slowly() {
    yield 'a'
    await later()
    yield 'b'
  }
  app.get('/looked-up', async () => {
    await later()
    return 'a'
  })
  app.post('/worked', async () => {
    await later()
    return 'a'
  })
  app.get('/streamed', async (_, reply) => reply.send(Readable.from(slowly())))
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.close())
  const url = `http://127.0.0.1:${(app.server.address() as { port: number }).port}`
  await Promise.all([
    read(fetch(`${url}/looked-up`)),
    read(fetch(`${url}/worked`, { method: 'POST' })),
    read(fetch(`${url}/streamed`)),
  ])
  await until(() => requests.ended.size === 3)
  t.match(lines, [{ level: 'warn', fields: { route: '/looked-up', status: 200 } }])
})
