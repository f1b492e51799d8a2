// GET /api/events on a real socket: its bytes, its cursors, how streams end, and what happens on one connection.

import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { brief, dial, exchange, type Problem, pause, read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { follow } from '../support/sse.ts'
import {
  askEvents,
  echo,
  frameOf,
  givenEvents,
  heardBy,
  listen,
  rawStream,
  requestText,
} from './event-streams.ts'

const { api, url, system, lines, create, tokenOf, everything, hasAll } = await givenEvents(t)

t.test('the head, and every byte of the first event: the position', async t => {
  const at = system.bus.events.position()
  const { socket, state, answer, body } = await rawStream(
    url,
    requestText('/api/events', undefined, 'X-Request-ID: me'),
  )
  await until(() => body().text.includes('\n\n'))
  const { status, headers } = answer()
  t.equal(status, 200)
  t.match(headers, {
    'content-type': /^text\/event-stream$/,
    'cache-control': /^no-cache$/,
    connection: /^keep-alive$/,
    'transfer-encoding': 'chunked',
    'x-api-version': '2.3.0',
    'x-request-id': 'me',
  })
  t.equal(headers['content-length'], undefined)
  t.equal(body().text, `: open\nid: ${at}\nevent: Position\ndata: {"position":${at}}\n\n`)

  await create({ session_id: 's1' })
  const told = (await everything()).filter(({ id }) => id > at)
  const expected = told.map(frameOf).join('')
  await until(() => body().text.length >= expected.length)
  t.equal(body().text.split('\n\n').slice(1).join('\n\n'), expected)
  t.notOk(state.ended || state.broken, 'and it stays open')
  socket.destroy()
})

t.test('all of a task from the earliest on, to the byte', async t => {
  const stream = await listen(url, { query: 'starting_after=earliest' })
  const all = await everything()
  await stream.until(await hasAll())
  t.equal(stream.text(), `: open\n${all.map(frameOf).join('')}`)
  const [created] = all
  t.match(
    stream.text().split('\n\n')[0],
    new RegExp(
      '^: open\\nid: 2\\nevent: TaskCreated\\n' +
        `data: {"type":"TaskCreated","timestamp":"${created?.body.timestamp}","task_id":"task_\\w+",` +
        '"title":"hello","session_id":"sess_\\w+","user_id":"default","status":"created"}$',
    ),
  )
  t.same(
    all.slice(0, 6).map(({ type, body }) => body.new_status ?? type),
    ['TaskCreated', 'AgentSpawned', 'working', 'TaskUpdated', 'AgentCompleted', 'completed'],
  )
  await stream.cut()
})

t.test('whatever stands in a title, an event is one line of data', async t => {
  const title = 'a\nb\r\nc\rd\u2028e\u2029f\u0085g\u0000h🙂\ud800'
  const stream = await listen(url)
  await create({ user_message_content: title })
  const heard = await stream.until(await hasAll())
  t.equal(heard.find(({ type }) => type === 'TaskCreated')?.body.title, title)
  for (const block of stream.text().split('\n\n').filter(Boolean)) {
    const rows = block.split(/[\n\r\u0085\u2028\u2029]/).filter(row => !row.startsWith(':'))
    t.match(rows, [/^id: \d+$/, /^event: \w+$/, /^data: {.*}$/])
    t.equal(rows.length, 3)
  }
  await stream.cut()
})

t.test('the position is given only without a cursor, and is itself a cursor', async t => {
  const live = await listen(url)
  const [first] = await live.until(heard => heard.length > 0)
  t.same(first, { id: system.bus.events.position(), type: 'Position', body: { position: first?.id } })
  await live.cut()
  await create()
  const again = await listen(url, { headers: { 'last-event-id': `${first?.id}` } })
  const heard = await again.until(await hasAll())
  t.same(heard, heardBy((await everything()).filter(({ id }) => id > (first?.id ?? 0))))
  t.notMatch(again.text(), 'Position')
  await again.cut()
})

t.test('where a reader begins', async t => {
  const all = heardBy(await everything())
  const head = system.bus.events.position()
  const middle = all[5]?.id ?? 0
  const from = (after: number) => all.filter(({ id }) => id > after)
  const wishes: [what: string, query: string, header: string | undefined, after: number][] = [
    ['the earliest, in the query', 'starting_after=earliest', undefined, 0],
    ['the earliest, in the header', '', 'earliest', 0],
    ['0 is before everything', 'starting_after=0', undefined, 0],
    ['0 in the header', '', '0', 0],
    ['in the middle', `starting_after=${middle}`, undefined, middle],
    ['the header beats the query', 'starting_after=earliest', `${middle}`, middle],
    ['the header beats a query that is nonsense', 'starting_after=nonsense', '0', 0],
    ['the header beats a query beyond the end', 'starting_after=999999', 'earliest', 0],
    ['an id that nobody was told', `starting_after=${middle - 1}`, undefined, middle - 1],
  ]
  for (const [what, query, header, after] of wishes) {
    const headers = header === undefined ? {} : { 'last-event-id': header }
    const stream = await listen(url, { query, headers })
    const heard = await stream.until(heard => (heard.at(-1)?.id ?? 0) >= (all.at(-1)?.id ?? 0))
    t.same(heard, from(after), what)
    await stream.cut()
  }
  const atEnd = await listen(url, { query: `starting_after=${head}` })
  await create()
  const heard = await atEnd.until(await hasAll())
  t.same(heard, heardBy((await everything()).filter(({ id }) => id > head)), 'the end itself is a cursor')
  await atEnd.cut()
})

t.test('what is no cursor is refused, where it stands', async t => {
  const beyond = `${system.bus.events.position() + 1}`
  const bad = [beyond, '999999999999999', 'x', '-1', '1.5', '1e1', '+1', '00', '0x1', 'Earliest', 'latest']
  const worse = ['9007199254740993', '99999999999999999999', '%20', '1%20', '%D9%A3', 'earliest,1', '']
  for (const value of [...bad, ...worse]) {
    const { status, body } = await read(askEvents(url, { query: `starting_after=${value}` }))
    t.equal(status, 422, value)
    t.match(brief(body.detail), [/^query starting_after \w+$/], value)
  }
  for (const value of [...bad, '1 2', 'earliest, 1']) {
    const { status, body } = await read(askEvents(url, { headers: { 'last-event-id': value } }))
    t.equal(status, 422, value)
    t.match(brief(body.detail), [/^header last-event-id \w+$/], value)
  }
  const header = 'Last-Event-ID: 0'
  const headers = requestText('/api/events', undefined, header, header, 'Connection: close')
  t.equal((await exchange(url, headers)).status, 422, 'the header twice')
  const live = await listen(url, { headers: { 'last-event-id': '' } })
  await live.until(() => live.text().includes('event: Position'))
  t.pass('an empty header is as good as none')
  await live.cut()
  const twice = await read(askEvents(url, { query: 'starting_after=1&starting_after=2' }))
  t.equal(twice.status, 422)
  t.match(twice.headers.get('content-type'), 'application/json')
})

t.test('everybody hears the same, in the same order, wherever they begin', async t => {
  const open = async (after: number) => ({
    after,
    stream: await listen(url, { query: `starting_after=${after}` }),
  })
  const streams = await Promise.all([0, 0, 0, 7].map(open))
  const work = Array.from({ length: 40 }, (_, n) => create({ user_message_content: `${n}` }))
  for (let n = 0; n < 6; n++) streams.push(await open(system.bus.events.position()))
  await Promise.all(work)
  const all = heardBy(await everything())
  for (const { after, stream } of streams) {
    const expected = all.filter(({ id }) => id > after)
    t.same(await stream.until(heard => heard.length >= expected.length), expected)
    await stream.cut()
  }
})

t.test('a token that is revoked, or comes to its end, ends its streams and nobody else’s', async t => {
  const revoked = await tokenOf({ role: 'subscriber' })
  const short = await tokenOf({ role: 'user', user_id: 'ann', ttl: 2 })
  const kept = await tokenOf({ role: 'subscriber' })
  const [first, second, third] = [
    await listen(url, { token: revoked.token }),
    await listen(url, { token: short.token }),
    await listen(url, { token: kept.token }),
  ]
  t.equal((await api('DELETE', `/auth/tokens/${revoked.id}`)).status, 200)
  await first.over
  t.equal(first.end(), 'broken', 'so that it is asked for anew, and refused')
  await second.over
  t.equal(second.end(), 'broken')
  t.equal((await askEvents(url, { token: revoked.token })).status, 401)
  t.equal((await askEvents(url, { token: short.token })).status, 401)
  await create()
  await third.until(await hasAll())
  t.equal(third.end(), undefined)
  await third.cut()
})

t.test('a stream that the server ends with its token is no disconnect: the task goes on', async t => {
  const { id: tokenId, token } = await tokenOf({ role: 'user' })
  const script = [{ message: 'begun' }, { sleep_ms: 600_000 }]
  const headers = { authorization: `Bearer ${token}` }
  const stream = await follow(
    api(
      'POST',
      '/tasks',
      {
        ...echo,
        stream: true,
        on_disconnect: 'cancel',
        client_id: 'script',
        agent_config: { agent_id: 'script', script },
      },
      headers,
    ),
  )
  const taskId = stream.response.headers.get('x-task-id') ?? ''
  await stream.until(frames => frames.some(({ type }) => type === 'task.output_item.done'))
  const watched = await listen(url, { query: `starting_after=0&task_id=${taskId}` })
  await read(api('DELETE', `/auth/tokens/${tokenId}`))
  await stream.rest().catch(() => {})
  // Whatever it did to the task is done before another task is through.
  await create()
  t.equal((await read(api('GET', `/tasks/${taskId}`))).body.result.status, 'working')
  await watched.until(heard => heard.some(({ body }) => body.new_status === 'working'))
  t.notOk(watched.heard().some(({ body }) => body.new_status === 'canceled'))
  await read(api('POST', `/tasks/${taskId}/cancel`, {}))
  await watched.cut()
})

t.test('two streams asked for on one connection do not run into each other', async t => {
  const { token } = await tokenOf({ role: 'subscriber', user_id: 'dora' })
  const first = requestText('/api/events?starting_after=earliest', token)
  const { socket, state, body } = await rawStream(
    url,
    first + requestText('/api/events?starting_after=earliest'),
  )
  await create({ user_id: 'dora' })
  await create({ user_id: 'somebody else' })
  const own = (await everything()).filter(({ owner }) => owner === 'dora')
  await until(() => body().text.includes(`id: ${own.at(-1)?.id}\n`))
  await pause(50)
  t.equal(body().text, `: open\n${own.map(frameOf).join('')}`)
  t.equal(body().behind, '', 'every byte is in a chunk')
  t.equal(state.raw.match(/^HTTP\/1\.1/gm)?.length, 1)
  socket.destroy()
})

t.test('a stream that is asked for behind a slow answer comes after it', async t => {
  const script = [{ sleep_ms: 300 }, { message: 'slow' }]
  const text = JSON.stringify({ ...echo, client_id: 'script', agent_config: { agent_id: 'script', script } })
  const post = requestText(
    '/v1/tasks',
    undefined,
    'Content-Type: application/json',
    `Content-Length: ${text.length}`,
  )
  const { socket, state } = await dial(url)
  socket.write(`${post.replace('GET', 'POST')}${text}${requestText('/api/events?starting_after=earliest')}`)
  await until(() => state.raw.includes('event: TaskCreated'))
  await until(() => /HTTP\/1\.1 200 OK[\s\S]*HTTP\/1\.1 200 OK/.test(state.raw))
  t.match(state.raw, /^HTTP\/1\.1 200 OK\r\n/, 'the answer to the first request comes first')
  const [, second = ''] = state.raw.split(/(?<=.)(?=HTTP\/1\.1 200 OK)/s)
  t.match(second, /\r\n\r\n[\da-f]+\r\n: open\n/, 'then the stream, from its beginning')
  t.ok(state.raw.indexOf('event: TaskCreated') > state.raw.indexOf(second))
  socket.destroy()
})

t.test('a client of HTTP/1.0 gets the same without chunks', async t => {
  const { socket, state } = await dial(url)
  socket.write(requestText('/api/events?starting_after=earliest').replace('HTTP/1.1', 'HTTP/1.0'))
  await create()
  const all = await everything()
  const expected = `: open\n${all.map(frameOf).join('')}`
  const text = () =>
    Buffer.from(state.raw, 'latin1').toString('utf8').split('\r\n\r\n').slice(1).join('\r\n\r\n')
  await until(() => text().length >= expected.length)
  t.equal(text(), expected)
  socket.destroy()
})

t.test('a client that asks for the connection to close is told so, and gets its events', async t => {
  const { socket, answer, body } = await rawStream(
    url,
    requestText('/api/events', undefined, 'Connection: close'),
  )
  await create()
  await until(() => body().text.includes('TaskCreated'))
  t.equal(answer().headers.connection, 'close')
  socket.destroy()
})

t.test('who goes away in the middle does no harm', async t => {
  for (let n = 0; n < 30; n++) {
    const { socket } = await dial(url)
    socket.write(requestText('/api/events?starting_after=earliest'))
    if (n % 3 > 0) await pause(n % 3)
    socket.destroy()
  }
  await create()
  const stream = await listen(url, { query: 'starting_after=earliest' })
  await stream.until(await hasAll())
  t.same(stream.heard(), heardBy(await everything()))
  await stream.cut()
  t.same(lines, [], 'and the server has nothing to say')
})

t.test('a stored event that is damaged breaks the stream before it, and is reported', async t => {
  const own = await serveHere(t)
  for (const user_message_content of ['one', 'two', 'three']) {
    await read(own.api('POST', '/tasks', { ...echo, user_message_content }))
  }
  const head = own.system.bus.events.position()
  // As somebody who may write to the file, while the server runs.
  const db = new Database(path.join(own.dataDir, 'log.db'))
  const triggers = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all()
  for (const name of triggers) db.exec(`DROP TRIGGER ${name}`)
  db.exec("UPDATE events SET payload = replace(payload, ':', ' :') WHERE position = 10")
  db.close()

  const stream = await listen(own.url, { query: 'starting_after=0' })
  await stream.over
  t.equal(stream.end(), 'broken', 'never a proper end')
  t.ok(stream.ids().every(id => id < 10))
  t.match(own.lines, [{ level: 'error', fields: { error: /position 10/, route: '/api/events' } }])
  const behind = await listen(own.url, { query: `starting_after=${head}` })
  await read(own.api('POST', '/tasks', { ...echo, user_message_content: 'four' }))
  await behind.until(heard => heard.some(({ body }) => body.title === 'four'))
  t.equal(own.lines.length, 1, 'who begins behind it is not concerned')
  await behind.cut()
})

t.test('a refusal is JSON, with every problem at once', async t => {
  const query = 'starting_after=1&types=x&session_id=a&session_id=b&task_id=a&task_id=b'
  const { status, headers, body } = await read(askEvents(url, { query }))
  t.equal(status, 422)
  t.match(headers.get('content-type'), 'application/json')
  t.same(
    (body.detail as Problem[]).map(({ loc }) => loc.slice(0, 2).join(' ')),
    ['query types', 'query session_id', 'query task_id'],
  )
  const all = await read(askEvents(url, { query: 'starting_after=x&types=y' }))
  t.same(brief(all.body.detail).length, 2, 'the cursor and the types')
})
