// Subscribers of a task that is erased: those who are in the middle of it, and those who come back with an old cursor.
import { randomBytes } from 'node:crypto'
import t from 'tap'
import { listen, rawStream, requestText } from '../http/event-streams.ts'
import { openSocket } from '../http/socket/client.ts'
import { until } from '../support/http.ts'
import { adminToken, serveHere } from '../support/server.ts'
import { type Erased, filesWith, makeTask, ok, scripted, secret } from './support.ts'

t.setTimeout(120_000)
const { api, url, lines, dataDir } = await serveHere(t)
const erase = (id: string) => ok<Erased>(api('DELETE', `/tasks/${id}?erase=true&reason=asked`))

/** More than the system keeps on its way to a reader who does not read. */
const messages = 24
const longText = 'x'.repeat(500_000)
/** The word stands only in the last message, which a slow reader has not reached. */
const longTask = () =>
  makeTask(api, {
    user_message_content: 'long',
    ...scripted(...Array.from({ length: messages }, () => ({ message: longText })), {
      message: `${secret} at the end`,
    }),
  })

t.test('slow readers of the frames of a task are cut, and then get 404', async t => {
  const { id } = await longTask()
  const request = requestText(`/v1/tasks/${id}/events`, adminToken, 'Accept: text/event-stream')
  const slow = await rawStream(url, request)
  await until(() => slow.state.raw.includes('event: '))
  slow.socket.pause()
  const other = await openSocket(url)
  await other.ask({ type: 'subscribe', channels: ['task'], task_id: id })
  await other.until(({ channel }) => channel === 'task')
  other.ws.pause()
  await erase(id)
  slow.socket.resume()
  other.ws.resume()
  await until(() => slow.state.ended || slow.state.broken)
  await other.closed
  t.notOk(slow.body().whole, 'it was broken off')
  t.notMatch(slow.state.raw, secret)
  t.notMatch(JSON.stringify(other.heard.slice(-3)), secret)
  t.notOk(
    other.heard.some(({ type }) => type === 'ended'),
    'nobody takes it for the end of the task',
  )
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
    'that is no defect of the server',
  )
  for (const headers of [{ 'last-event-id': '3' }, {}]) {
    const again = await api('GET', `/tasks/${id}/events`, undefined, {
      accept: 'text/event-stream',
      ...headers,
    })
    t.equal(again.status, 404)
    t.match(await again.json(), { code: -32001 })
  }
  const back = await openSocket(url)
  t.match(await back.ask({ type: 'subscribe', channels: ['task'], task_id: id, since: 3 }), {
    type: 'error',
    error: { code: -32001 },
  })
  await back.cut()
})

/** A task whose failure stands in public events, with the word. */
const failing = (words: string) =>
  makeTask(api, { user_message_content: 'x', ...scripted({ fail: { code: -32000, message: words } }) })

t.test('a subscriber of all events hears of the deletion, and a later one gets a gap', async t => {
  const before = await failing('kept')
  const live = await listen(url)
  const socket = await openSocket(url)
  await socket.ask({ type: 'subscribe', channels: ['tasks'] })
  const { id } = await failing(secret)
  const isOf = (body: unknown) => (body as { task_id?: string }).task_id === id
  const heard = await live.until(heard => heard.some(({ type, body }) => type === 'AgentError' && isOf(body)))
  const cursor = heard.find(({ body }) => isOf(body))?.id ?? 0
  await erase(id)
  const length = live.text().length
  await live.until(heard => heard.some(({ type, body }) => type === 'TaskDeleted' && isOf(body)))
  await socket.until(({ data }) => data?.type === 'TaskDeleted' && isOf(data))
  t.notMatch(live.text().slice(length), secret)

  for (const from of ['earliest', `${cursor - 1}`, `${cursor}`]) {
    const again = await listen(url, { headers: { 'last-event-id': from } })
    const past = await again.until(heard => heard.some(({ type, body }) => type === 'Gap' && isOf(body)))
    const of = past.filter(({ body }) => isOf(body))
    t.same(
      of.map(({ type }) => type).filter(type => type !== 'Gap'),
      [],
      'nothing but gaps',
    )
    t.notMatch(again.text(), secret)
    await again.cut()
    const since = from === 'earliest' ? from : Number(from)
    const later = await openSocket(url)
    await later.ask({ type: 'subscribe', channels: ['tasks'], since })
    await later.until(({ data }) => data?.type === 'Gap' && isOf(data))
    t.notMatch(JSON.stringify(later.heard), secret)
    await later.cut()
  }
  const named = await listen(url, { query: `task_id=${id}&starting_after=earliest` })
  t.ok((await named.until(heard => heard.length > 0)).every(({ type }) => type === 'Gap'))
  await named.cut()
  t.equal((await api('GET', `/tasks/${before.id}`)).status, 200)
  await socket.cut()
  await live.cut()
})

t.test('a slow subscriber is cut, and gets gaps for what it had not read when it comes back', async t => {
  const slow = await rawStream(url, requestText('/api/events'))
  await until(() => slow.state.raw.includes('Position'))
  slow.socket.pause()
  const words = `${'no '.repeat(33_000)}${secret}`
  const tasks = []
  for (let n = 0; n < 100; n += 20)
    tasks.push(...(await Promise.all(Array.from({ length: 20 }, () => failing(words)))))
  const last = tasks.at(-1)?.id ?? ''
  await erase(last)
  slow.socket.resume()
  await until(() => slow.state.ended || slow.state.broken)
  t.notMatch(slow.state.raw, last, 'what the server held for it is not sent any more')
  const seen = [...slow.state.raw.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? 'earliest'
  const again = await listen(url, { headers: { 'last-event-id': seen } })
  const isOf = (body: unknown) => (body as { task_id?: string }).task_id === last
  const past = await again.until(heard => heard.some(({ type, body }) => type === 'Gap' && isOf(body)))
  t.same([...new Set(past.filter(({ body }) => isOf(body)).map(({ type }) => type))], ['Gap'])
  await again.cut()
})

t.test('an export that is under way is broken off, and leaves no file', async t => {
  const word = `${secret}-EXPORTED`
  const { id } = await makeTask(api, { user_message_content: word, user_id: 'olga' })
  for (let n = 0; n < 4; n++)
    await makeTask(api, { user_id: 'olga', user_message_content: randomBytes(1_500_000).toString('base64') })
  const slow = await rawStream(url, requestText('/v1/audit/export?all=true', adminToken, 'Accept: */*'))
  await until(() => slow.state.raw.length > 100_000)
  slow.socket.pause()
  await until(() => filesWith(dataDir, word).some(name => name.includes('exports')))
  await erase(id)
  t.same(filesWith(dataDir, word), [])
  slow.socket.resume()
  await until(() => slow.state.ended || slow.state.broken)
  t.notOk(slow.body().whole, 'nobody takes it for a whole export')
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})

t.test('an export that is broken off before its first byte is to be asked for again', async t => {
  let broken: Response | undefined
  // Each round is a race: the export waits for a checkpoint of the newest events, and the erasure is mostly faster.
  for (let round = 0; round < 50 && broken === undefined; round++) {
    const { id } = await makeTask(api, { user_message_content: 'x', user_id: 'otto' })
    const exported = api('GET', '/audit/export?all=true')
    await erase(id)
    const answer = await exported
    await answer.arrayBuffer().catch(() => 'broken off later')
    if (answer.status !== 200) broken = answer
  }
  t.equal(broken?.status, 503)
  t.match(broken?.headers.get('retry-after'), /^\d+$/)
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
