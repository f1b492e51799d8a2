// What takes its time on /api/events: heartbeats, readers who do not read, and a server that goes down.
import t, { type Test } from 'tap'
import { answerIn, rawRequest } from '../server/raw.ts'
import { dial, pause, read, until } from '../support/http.ts'
import { type Api, apiOf, serveHere, spawnServer } from '../support/server.ts'
import { allOf, frameOf, heardIn, listen, rawStream, requestText } from './event-streams.ts'

t.jobs = 4

const echo = { user_message_content: 'x', stream: false, client_id: 'echo' }
/** Tasks that fail with long words: megabytes of events. */
const fillUp = async (api: Api, tasks: number) => {
  const message = 'no '.repeat(33_000)
  const script = [{ fail: { code: -32000, message } }]
  const body = { ...echo, client_id: 'script', agent_config: { agent_id: 'script', script } }
  for (let n = 0; n < tasks; n += 10) {
    await Promise.all(Array.from({ length: 10 }, () => read(api('POST', '/tasks', body))))
  }
}

t.test('a comment line every ten seconds, with no blank line behind it, between the events', async t => {
  const { url, api, system } = await serveHere(t)
  const { socket, state, body } = await rawStream(url, requestText('/api/events?starting_after=earliest'))
  const head = system.log.head()
  const old = await rawStream(url, requestText('/api/events').replace('HTTP/1.1', 'HTTP/1.0'))
  await until(() => body().text.endsWith(': heartbeat\n'))
  t.equal(body().text, ': open\n: heartbeat\n')
  await read(api('POST', '/tasks', echo))
  const told = (await allOf(system.log)).map(frameOf).join('')
  await until(() => body().text.length >= `: open\n: heartbeat\n${told}`.length)
  t.equal(body().text, `: open\n: heartbeat\n${told}`)
  t.equal(heardIn(body().text).length, (await allOf(system.log)).length, 'a decoder takes no harm')
  await until(() => old.state.raw.includes(': heartbeat\n'))
  t.match(old.state.raw, `data: {"position":${head}}\n\n: heartbeat\n`, 'without chunks as well')
  t.notOk(state.ended)
  socket.destroy()
  old.socket.destroy()
})

t.test('who does not read is cut, loses nothing by it, and holds nobody up', async t => {
  const { url, api, system, lines } = await serveHere(t)
  const { body: made } = await read(api('POST', '/auth/tokens', { role: 'subscriber', user_id: 'nobody' }))
  const idle = await listen(url, { token: (made as unknown as { token: string }).token })
  const stalled = await rawStream(url, requestText('/api/events'))
  const paused = await rawStream(url, requestText('/api/events?starting_after=earliest'))
  await until(() => paused.state.raw.includes(': open') && stalled.state.raw.includes('Position'))
  paused.socket.pause()
  stalled.socket.pause()
  const others = await Promise.all([1, 2, 3].map(() => listen(url, { query: 'starting_after=0' })))
  await fillUp(api, 120)
  const all = await allOf(system.log)
  const last = all.at(-1)?.id
  for (const other of others) {
    const heard = await other.until(heard => heard.at(-1)?.id === last)
    t.same(
      heard.map(({ id }) => id),
      all.map(({ id }) => id),
      'those who read have everything',
    )
  }
  // The server's own ticks, counted beside them: it cuts after ten of them without anything taken.
  await new Promise<void>(resolve => {
    let ticks = 0
    const timer = setInterval(() => {
      if (++ticks < 14) return
      clearInterval(timer)
      resolve()
    }, 1000)
  })
  for (const { socket, state, body } of [stalled, paused]) {
    socket.resume()
    await until(() => state.ended || state.broken)
    t.notOk(body().whole, 'it was broken off')
    const cut = heardIn(body().text)
    const seen = cut.filter(({ type }) => type !== 'Position').map(({ id }) => id)
    t.ok(seen.length < all.length)
    t.same(
      seen,
      all.slice(0, seen.length).map(({ id }) => id),
    )
    const again = await listen(url, { headers: { 'last-event-id': `${cut.at(-1)?.id}` } })
    await again.until(heard => heard.at(-1)?.id === last)
    t.same(
      [...seen, ...again.ids()],
      all.map(({ id }) => id),
      'and comes back without a gap or a repeat',
    )
    await again.cut()
  }
  for (const other of [...others, idle]) {
    t.equal(other.end(), undefined, 'nobody else is cut')
    await other.cut()
  }
  t.same(lines, [])
})

const goingDown = (t: Test) => spawnServer(t, t.testdir(), { DRAIN_SECONDS: '3' })
const longStep = {
  ...echo,
  background: true,
  client_id: 'script',
  agent_config: {
    agent_id: 'script',
    script: [{ message: 'one two three four', delta_ms: 400 }, { sleep_ms: 60_000 }],
  },
}

t.test('at SIGTERM streams are ended with a comment, and new ones get no answer at all', async t => {
  const server = await goingDown(t)
  const { url, api } = server
  await read(api('POST', '/tasks', longStep))
  const stream = await rawStream(url, requestText('/api/events?starting_after=earliest'))
  await until(() => stream.body().text.includes('"new_status":"working"'))
  // A connection that is open already, and idle.
  const kept = await dial(url)
  kept.socket.write(requestText('/healthz'))
  await until(() => kept.state.raw.includes('{'))
  const before = kept.state.raw

  server.signal('SIGTERM')
  await until(() => stream.body().whole)
  t.match(stream.body().text, /\n\n: the server goes down\n$/)
  t.equal(stream.body().behind, '')
  heardIn(stream.body().text)

  const accept = { accept: 'text/event-stream' }
  t.equal(
    await rawRequest(url, 'GET', '/api/events', undefined, accept).over,
    '',
    'an EventSource comes back',
  )
  t.equal(await rawRequest(url, 'GET', '/api/events?starting_after=x', undefined, accept).over, '')
  t.equal(await rawRequest(url, 'GET', '/api/events').over, '', 'whoever asks for a stream')
  kept.socket.write(requestText('/api/events', undefined, 'Accept: text/event-stream'))
  await kept.closed
  t.equal(kept.state.raw, before, 'also on a connection that is open already')
  const ticket = answerIn(await rawRequest(url, 'POST', '/v1/auth/stream-ticket', {}).over)
  t.match(ticket, { status: 503, headers: { connection: 'close', 'retry-after': /^\d+$/ } })
  t.same(await server.exited, [0, null])
  stream.socket.destroy()
})

t.test('nothing comes behind the end, though a slow reader takes what was said before only then', async t => {
  const dataDir = t.testdir()
  const server = await spawnServer(t, dataDir, { DRAIN_SECONDS: '8' })
  const { url, api } = server
  const slow = await rawStream(url, requestText('/api/events?starting_after=earliest'))
  await until(() => slow.state.raw.includes(': open'))
  slow.socket.pause()
  await fillUp(api, 120)
  const fast = await rawStream(url, requestText('/api/events'))
  await read(api('POST', '/tasks', longStep))
  await until(() => fast.body().text.includes('"new_status":"working"'))
  await pause(300)
  server.signal('SIGTERM')
  await until(() => fast.body().whole)
  await pause(100)
  slow.socket.resume()
  await Promise.all([slow.closed, fast.closed, server.exited])
  for (const { body } of [slow, fast]) t.equal(body().behind, '')
  const first = heardIn(slow.body().text)
  const ofFast = heardIn(fast.body().text)

  // What was told while the server went down, or not any more, is there when they come back.
  const next = await spawnServer(t, dataDir, { DRAIN_SECONDS: '0' })
  const all = await listen(next.url, { query: 'starting_after=earliest' })
  await all.until(heard => heard.some(({ body }) => body.type === 'TaskUpdated'))
  for (const heard of [first, ofFast]) {
    const from = heard.at(-1)?.id ?? 0
    const again = await listen(next.url, { headers: { 'last-event-id': `${from}` } })
    const rest = all.heard().filter(({ id }) => id > from)
    await again.until(heard => heard.length >= rest.length)
    t.same(again.heard().slice(0, rest.length), rest)
    t.ok(
      rest.some(({ type }) => type === 'TaskUpdated'),
      'the step ended after the streams',
    )
    await again.cut()
  }
  const together = all.heard().map(({ id }) => id)
  t.same(
    first.map(({ id }) => id),
    together.slice(0, first.length),
  )
  await all.cut()
  t.equal((await apiOf(next.url)('GET', '/tasks')).status, 200)
})
