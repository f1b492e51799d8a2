// SIGTERM, as those see it who are connected.
import t from 'tap'
import { spawnServer } from '../support/server.ts'
import { answerIn, rawRequest } from './raw.ts'
import { flawsOf } from './stored-log.ts'
import { getTask, play, sleep, until, untilStatus } from './wire.ts'

t.jobs = 4

const long = (message: string) => ({
  user_message_content: message,
  stream: false,
  agent_config: { agent_id: 'script', script: [{ message }, { sleep_ms: 600_000 }] },
})

t.test('SIGTERM under load', async t => {
  const dataDir = t.testdir()
  const server = await spawnServer(t, dataDir, { DRAIN_SECONDS: '5' })
  const { api, url } = server
  const waiting = rawRequest(url, 'POST', '/v1/tasks', long('waits'), { 'x-request-id': 'waits-1' })
  const created = rawRequest(url, 'POST', '/v1/tasks', { ...long('follows'), stream: true })
  const left = rawRequest(url, 'POST', '/v1/tasks', {
    ...long('left'),
    stream: true,
    on_disconnect: 'cancel',
    task_id: 'left',
  })
  const { id } = await play(api, [{ message: 'one two three', delta_ms: 100 }, { sleep_ms: 600_000 }])
  const followed = rawRequest(url, 'GET', `/v1/tasks/${id}/events`, undefined, {
    accept: 'text/event-stream',
  })
  const load = Array.from({ length: 20 }, (_, n) => play(api, [{ message: `${n}` }, { sleep_ms: n * 10 }]))
  const loaded = await Promise.all(load)
  for (const stream of [created, left, followed]) {
    await until('frames flow', () => stream.received().includes('event: task.working'))
  }

  const signaled = performance.now()
  server.signal('SIGTERM')
  await until('it says so', () => server.stderr() !== '')

  await t.test('a waiting create that got no byte yet is told to come again', async t => {
    const { status, headers, body, whole } = answerIn(await waiting.over)
    t.equal(status, 503)
    t.ok(whole)
    t.match(headers, { 'retry-after': /^\d+$/, connection: 'close', 'x-request-id': 'waits-1' })
    t.match(JSON.parse(body), { jsonrpc: '2.0', id: 'waits-1', error: { code: -32603 } })
  })
  await t.test('task streams are broken off, not ended', async t => {
    for (const stream of [created, followed]) {
      const answer = answerIn(await stream.over)
      t.equal(answer.status, 200)
      t.notOk(answer.whole)
      t.notMatch(answer.body, /event: task\.(completed|failed|canceled|expired)/)
    }
  })
  await t.test('a new create gets 503 in an envelope, and the connection is closed', async t => {
    const answer = answerIn(await rawRequest(url, 'POST', '/v1/tasks', long('late')).over)
    t.match(answer, { status: 503, headers: { 'retry-after': /^\d+$/, connection: 'close' } })
    t.match(JSON.parse(answer.body), { jsonrpc: '2.0', error: { code: -32603 } })
  })
  await t.test('a new cancel gets the bare error', async t => {
    const answer = answerIn(await rawRequest(url, 'POST', `/v1/tasks/${id}/cancel`, {}).over)
    t.match(answer, { status: 503, headers: { connection: 'close' } })
    t.match(JSON.parse(answer.body), { code: -32603, jsonrpc: undefined })
  })
  await t.test(
    'a new event stream is broken off without an answer, so that an EventSource comes back',
    async t => {
      const accept = 'text/event-stream'
      t.equal(await rawRequest(url, 'GET', `/v1/tasks/${id}/events`, undefined, { accept }).over, '')
    },
  )
  await t.test('it is alive, and not ready', async t => {
    t.equal((await fetch(`${url}/healthz`)).status, 200)
    const ready = await fetch(`${url}/readyz`)
    t.equal(ready.status, 503)
    t.match(await ready.json(), { status: 'not ready', log: 'ok' })
  })
  await t.test('it ends with 0, soon after DRAIN_SECONDS, and says nothing but that it drains', async t => {
    t.same(await server.exited, [0, null])
    const took = performance.now() - signaled
    t.ok(took > 4500 && took < 60_000, `${Math.round(took)} ms`)
    t.match(server.stderr(), /^draining \d+ running tasks?\n$/)
  })
  await t.test('the log is whole, and the next start goes on with everything', async t => {
    t.same(flawsOf(dataDir), [])
    const next = await spawnServer(t, dataDir, { DRAIN_SECONDS: '0' })
    t.match(next.stdout(), /^Resumed +\d+ unfinished tasks?$/m)
    for (const task of loaded) await untilStatus(next.api, task.id, 'completed')
    t.equal((await getTask(next.api, id)).status, 'working')
    t.equal((await getTask(next.api, 'left')).status, 'working', 'a server that ends is no disconnect')
    t.same(await next.end('SIGTERM'), [0, null])
  })
})

t.test(
  'a create that is answered with spaces is broken off: what came is no JSON and no whole answer',
  async t => {
    const server = await spawnServer(t, t.testdir(), { DRAIN_SECONDS: '0' })
    const started = performance.now()
    const slow = rawRequest(server.url, 'POST', '/v1/tasks', long('slow'))
    await until('a space', () => answerIn(slow.received()).body.includes(' '))
    t.ok(performance.now() - started > 9_500, 'the first ten seconds are silent')
    server.signal('SIGTERM')
    const { status, body, whole } = answerIn(await slow.over)
    t.equal(status, 200)
    t.notOk(whole)
    t.match(body, /^1\r\n \r\n$/)
    t.same(await server.exited, [0, null])
  },
)

t.test('unless told otherwise it waits eight seconds for a step, and then ends', async t => {
  const server = await spawnServer(t, t.testdir())
  await play(server.api, [{ sleep_ms: 600_000 }])
  const signaled = performance.now()
  t.same(await server.end('SIGTERM'), [0, null])
  const took = performance.now() - signaled
  t.ok(took > 7500 && took < 60_000, `${Math.round(took)} ms`)
})

t.test('a second Ctrl-C forces the end', async t => {
  const dataDir = t.testdir()
  const server = await spawnServer(t, dataDir)
  const { id } = await play(server.api, [{ sleep_ms: 600_000 }])
  server.signal('SIGINT')
  await until('it says so', () => server.stderr() === 'draining 1 running task (Ctrl-C again to force)\n')
  await sleep(200)
  t.same(await server.end('SIGINT'), [130, null])
  t.same(flawsOf(dataDir), [])
  const next = await spawnServer(t, dataDir)
  t.equal((await getTask(next.api, id)).status, 'working')
})

t.test('a second SIGTERM changes nothing: supervisors repeat themselves', async t => {
  const server = await spawnServer(t, t.testdir())
  const { id } = await play(server.api, [{ sleep_ms: 1000 }, { message: 'done' }])
  server.signal('SIGTERM')
  await until('it says so', () => server.stderr() === 'draining 1 running task\n')
  await sleep(200)
  t.same(await server.end('SIGTERM'), [0, null])
  t.ok(id)
})
