// Open streams and WebSockets of one user, and of all: refused before anything is done, and given back when they close.
import t, { type Test } from 'tap'
import { dial, read, until } from '../support/http.ts'
import { withWorkspaces } from '../support/sandbox.ts'
import { type Api, adminToken, apiOf, serveHere } from '../support/server.ts'
import { follow } from '../support/sse.ts'
import { script } from './agent-tasks.ts'
import { askEvents, listen } from './event-streams.ts'
import { families, sampleOf } from './exposition.ts'
import { openSocket } from './socket/client.ts'

type Server = Pick<Awaited<ReturnType<typeof serveHere>>, 'api' | 'url'>
const tokenOf = async ({ api }: Server, user_id: string): Promise<string> => {
  const { body } = await read(api('POST', '/auth/tokens', { role: 'user', user_id }))
  return (body as unknown as { token: string }).token
}
const sample = async ({ url }: Server, name: string, labels: Record<string, string>): Promise<number> =>
  sampleOf(families(await (await fetch(`${url}/metrics`)).text()), name, labels) ?? Number.NaN
const used = (server: Server, of: string) => sample(server, 'reprise_quota_used', { of })
const sleeps = { user_message_content: 'x', agent_config: script({ sleep_ms: 600_000 }) }
const sse = { accept: 'text/event-stream' }
const tasksThere = async (api: Api): Promise<number> =>
  ((await read(api('GET', '/tasks?limit=100'))).body.result as unknown as object[]).length

const isRefusal = async (t: Test, answer: Response | Promise<Response>, quota: string, limit: number) => {
  const { status, headers, body, text } = await read(answer)
  t.equal(status, 429, text)
  t.match(headers.get('retry-after'), /^\d+$/)
  t.match(body.error ?? body, { code: -32027, data: { quota, limit } })
}

t.test('every kind of stream counts, and the next one is refused before anything is done for it', async t => {
  const server = await serveHere(t, { QUOTA_STREAMS: '4', ...withWorkspaces })
  const { url } = server
  const token = await tokenOf(server, 'ann')
  const ann = apiOf(url, token)
  const bob = await tokenOf(server, 'bob')
  const { body } = await read(ann('POST', '/env/create', { env_id: 'workspace' }))
  const { session_id } = body as unknown as { session_id: string }

  const created = await follow(ann('POST', '/tasks', { ...sleeps, stream: true }))
  const [first] = await created.until(frames => frames.length > 0)
  const again = await follow(ann('GET', `/tasks/${first?.task_id}/events`, undefined, sse))
  await again.until(frames => frames.length > 0)
  const events = await listen(url, { token })
  t.equal(await used(server, 'streams'), 3)
  const step = {
    session_id,
    tool_name: 'shell',
    tool_args: { command: 'sleep 600' },
    stream: true,
  }
  const stepping = await follow(ann('POST', '/env/step', step))
  t.equal(await used(server, 'streams'), 4)

  await isRefusal(t, ann('POST', '/tasks', { ...sleeps, stream: true }), 'streams', 4)
  t.equal(await tasksThere(ann), 1, 'and no task was made')
  await isRefusal(t, ann('GET', `/tasks/${first?.task_id}/events`, undefined, sse), 'streams', 4)
  await isRefusal(t, askEvents(url, { token }), 'streams', 4)
  await isRefusal(t, ann('POST', '/env/step', step), 'streams', 4)
  t.equal(await sample(server, 'reprise_quota_refusals_total', { quota: 'streams' }), 4)

  t.equal((await read(ann('GET', `/tasks/${first?.task_id}/events`))).status, 200, 'a page is no stream')
  const other = await listen(url, { token: bob })
  const admins = await listen(url, { token: adminToken })
  await Promise.all([other.cut(), admins.cut()])

  await again.cut()
  await until(async () => (await used(server, 'streams')) === 3)
  const next = await listen(url, { token })
  await Promise.all([next.cut(), created.cut(), events.cut(), stepping.cut()])
  await until(async () => (await used(server, 'streams')) === 0)
})

t.test(
  'of forty streams at once exactly as many open as a user may have, and what ends gives back',
  async t => {
    const server = await serveHere(t, { QUOTA_STREAMS: '5' })
    const token = await tokenOf(server, 'ann')
    const answers = await Promise.all(Array.from({ length: 40 }, () => askEvents(server.url, { token })))
    t.equal(answers.filter(({ status }) => status === 200).length, 5)
    t.equal(answers.filter(({ status }) => status === 429).length, 35)
    await Promise.all(answers.map(({ body }) => body?.cancel()))
    await until(async () => (await used(server, 'streams')) === 0)

    const ann = apiOf(server.url, token)
    for (let n = 0; n < 8; n++) {
      const echo = await follow(
        ann('POST', '/tasks', { user_message_content: 'x', stream: true, client_id: 'echo' }),
      )
      await echo.rest()
      t.equal(echo.response.status, 200, 'a stream that has ended has given its place back')
    }
    t.equal((await read(ann('POST', '/tasks', { ...sleeps, stream: true, task_id: 'a b' }))).status, 422)
    await until(async () => (await used(server, 'streams')) === 0)
  },
)

t.test('streams that were asked for one behind the other on a connection go with it', async t => {
  const server = await serveHere(t, { QUOTA_STREAMS: '3' })
  const token = await tokenOf(server, 'ann')
  const { socket } = await dial(server.url)
  const get = `GET /api/events HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${token}\r\n\r\n`
  socket.write(get.repeat(3))
  await until(async () => (await used(server, 'streams')) === 3)
  await isRefusal(t, askEvents(server.url, { token }), 'streams', 3)
  socket.destroy()
  await until(async () => (await used(server, 'streams')) === 0)
})

t.test('a stream by a ticket that comes again takes the place of the one before', async t => {
  const server = await serveHere(t, { QUOTA_STREAMS: '1', QUOTA_SOCKETS: '1' })
  const { url } = server
  const token = await tokenOf(server, 'ann')
  const issued = await read(apiOf(url, token)('POST', '/auth/stream-ticket'))
  const { ticket } = issued.body as unknown as { ticket: string }
  const asked = () => listen(url, { token: '', query: `ticket=${ticket}` })
  await asked()
  const again = await asked()
  await until(async () => (await used(server, 'streams')) === 1)
  await isRefusal(t, askEvents(url, { token }), 'streams', 1)
  await again.cut()
})

t.test('one WebSocket too many is told why and closed, however it says who it is', async t => {
  const server = await serveHere(t, { QUOTA_SOCKETS: '2', QUOTA_TASKS: '1' })
  const { url } = server
  const [ann, bob] = [await tokenOf(server, 'ann'), await tokenOf(server, 'bob')]
  const first = await openSocket(url, { token: ann })
  const second = await openSocket(url, { token: '' })
  t.match(await second.ask({ type: 'auth', token: ann }), { type: 'authenticated' })
  const refused = { type: 'error', error: { code: -32027, data: { quota: 'sockets', limit: 2 } } }

  const third = await openSocket(url, { token: ann })
  t.match(await third.until(({ type }) => type === 'error'), refused)
  t.match(await third.closed, { code: 1013 })
  const fourth = await openSocket(url, { token: '' })
  fourth.say({ type: 'auth', token: ann })
  t.match(await fourth.until(({ type }) => type === 'error'), refused)
  t.match(await fourth.closed, { code: 1013 })
  t.equal(await sample(server, 'reprise_quota_refusals_total', { quota: 'sockets' }), 2)

  for (const token of [bob, adminToken]) {
    const other = await openSocket(url, { token })
    t.match(await other.ask({ type: 'ping' }), { type: 'pong' })
    other.ws.terminate()
  }
  const create = { type: 'create', ...sleeps, stream: false, background: true }
  t.match(await first.ask(create), { type: 'result' })
  t.match(
    await second.ask(create),
    { type: 'error', error: { code: -32027, data: { quota: 'tasks', limit: 1 } } },
    'a create beyond a quota is an error of its own, and the connection stays',
  )
  t.match(await second.ask({ type: 'ping' }), { type: 'pong' })

  first.ws.terminate()
  await until(async () => (await used(server, 'sockets')) === 1)
  const fifth = await openSocket(url, { token: ann })
  t.match(await fifth.ask({ type: 'ping' }), { type: 'pong' })
  for (const { ws } of [second, fifth]) ws.terminate()
})

t.test('streams and WebSockets of all users together have a limit that binds everybody', async t => {
  const server = await serveHere(t, { MAX_STREAMS: '3' })
  const { url } = server
  const ann = await tokenOf(server, 'ann')
  const open = [await listen(url, { token: ann }), await listen(url)]
  const socket = await openSocket(url)
  t.match(await socket.ask({ type: 'ping' }), { type: 'pong' })
  await isRefusal(t, askEvents(url), 'max_streams', 3)
  await isRefusal(t, askEvents(url, { token: ann }), 'max_streams', 3)
  const other = await openSocket(url)
  t.match(await other.closed, { code: 1013 })
  t.match(other.heard[0], { type: 'error', error: { data: { quota: 'max_streams', limit: 3 } } })
  socket.ws.terminate()
  await until(async () => (await used(server, 'sockets')) === 0)
  open.push(await listen(url))
  await Promise.all(open.map(stream => stream.cut()))
})
