// Channels on /ws: the events of /api/events and the frames of tasks, the same and in the same order, from any point on.
import t from 'tap'
import { channelOf, eventChannels, eventNames } from '../../../src/contract/events/public-events.ts'
import { eventsOf } from '../../../src/contract/socket.ts'
import { pause, read, type TaskJson, until } from '../../support/http.ts'
import { type Api, apiOf, serveHere } from '../../support/server.ts'
import { allOf, frameOf, listen } from '../event-streams.ts'
import { families, sampleOf } from '../exposition.ts'
import { briefly, type Heard, openSocket, type Socket } from './client.ts'

const server = await serveHere(t)
const { url, api, system, lines } = server

const echo = { user_message_content: 'hello', stream: false, client_id: 'echo' }
const create = async (body: object = {}, by: Api = api): Promise<TaskJson> =>
  (await read(by('POST', '/tasks', { ...echo, ...body }))).body.result
const tokenOf = async (body: object): Promise<{ id: string; token: string }> =>
  (await read(api('POST', '/auth/tokens', body))).body as unknown as { id: string; token: string }
const playing = (...script: object[]) => ({
  client_id: 'script',
  agent_config: { agent_id: 'script', script },
})
const sessionOf = async () => {
  const { body } = await read(api('POST', '/env/create', { env_id: 'gridworld' }))
  return (body as unknown as { session_id: string }).session_id
}
/** As it must come on a channel. */
const toldOf = ({ id, type, body }: { id: number; type: string; body: Record<string, unknown> }): Heard => ({
  channel: channelOf(type),
  type,
  data: body,
  timestamp: body.timestamp as string,
  id,
})
const everything = async () => (await allOf(system.log)).map(event => ({ ...event, told: toldOf(event) }))
const isLast = async (socket: Socket, id: number | undefined) =>
  until(() => socket.told().at(-1)?.id === id).catch(() => {})
const usual = ['tasks', 'agents', 'group', 'cron']

await create()
await sessionOf()

t.test('every event has a channel, and every channel its events', async t => {
  const carried = eventChannels.flatMap(eventsOf)
  t.same([...carried].sort(), [...eventNames].sort())
  t.same(
    eventsOf('sessions').filter(type => !type.startsWith('Env')),
    [],
  )
})

t.test('an event has the same position and the same bytes on /api/events and here', async t => {
  await create({ user_message_content: 'line\u2028end \u0085 \ud83d\ude00 "quoted" \\' })
  const all = await everything()
  const names = eventNames.join(',')
  const sse = await listen(url, { query: `starting_after=0&types=${names}` })
  await sse.until(heard => heard.length === all.length)
  const socket = await openSocket(url)
  const texts: string[] = []
  socket.ws.on('message', data => texts.push(String(data)))
  const first = await socket.ask({ type: 'subscribe', channels: eventChannels, since: 0 })
  t.same(first, {
    type: 'subscribed',
    request_id: 'ask-1',
    channels: eventChannels,
    position: 0,
    recovered: true,
  })
  await isLast(socket, all.at(-1)?.id)
  t.same(
    socket.heard.slice(1),
    all.map(({ told }) => told),
  )
  const bodies = texts.slice(1).map(text => /"data":(.*),"timestamp"/.exec(text)?.[1])
  const sseBodies = sse
    .text()
    .split('\n')
    .filter(line => line.startsWith('data: '))
  t.same(
    bodies.map(body => `data: ${body}`),
    sseBodies,
  )
  t.ok(all.every(event => sse.text().includes(frameOf(event))))
  await sse.cut()
  await socket.cut()
})

t.test('without since only what comes, and a channel brings its own events alone', async t => {
  const sockets = await Promise.all(
    [['tasks'], ['agents'], ['sessions'], usual, ['group', 'cron'], ['tasks', 'sessions', 'tasks']].map(
      async channels => {
        const socket = await openSocket(url)
        const answer = await socket.ask({ type: 'subscribe', channels })
        t.same([answer.position, answer.recovered], [system.bus.events.position(), false])
        t.same(answer.channels, [...new Set(channels)])
        return { channels, socket }
      },
    ),
  )
  const from = system.bus.events.position()
  await create()
  await sessionOf()
  await create(playing({ fail: { code: -32000, message: 'no' } }))
  const all = (await everything()).filter(({ id }) => id > from)
  for (const { channels, socket } of sockets) {
    const expected = all.map(({ told }) => told).filter(({ channel }) => channels.includes(channel ?? ''))
    await isLast(socket, expected.at(-1)?.id)
    t.same(socket.told(), expected, channels.join(' '))
    await socket.cut()
  }
})

t.test('since is a position, as a number or text, or earliest', async t => {
  const all = (await everything()).filter(({ told }) => told.channel === 'tasks')
  for (const since of [0, '0', 'earliest', 5, '5', system.bus.events.position()]) {
    const socket = await openSocket(url)
    const answer = await socket.ask({ type: 'subscribe', channels: ['tasks'], since })
    const position = since === 'earliest' ? 0 : Number(since)
    t.same([answer.position, answer.recovered], [position, true])
    const expected = all.filter(({ id }) => id > position)
    await isLast(socket, expected.at(-1)?.id)
    t.same(
      socket.told(),
      expected.map(({ told }) => told),
    )
    await socket.cut()
  }
  const socket = await openSocket(url)
  t.equal((await socket.ask({ type: 'subscribe', channels: ['tasks'], since: null })).recovered, false)
  await socket.cut()
})

t.test('the filter is that of /api/events', async t => {
  const script = playing({ subagent: 'echo', input: 'hi' })
  const { id, session_id } = await create(script)
  await create({ session_id })
  const all = await everything()
  const cases: [string[], object, (event: (typeof all)[number]) => boolean][] = [
    [['tasks'], { task_id: id }, ({ told, body }) => told.channel === 'tasks' && body.task_id === id],
    [
      usual,
      { session_id },
      ({ told, body }) => told.channel !== 'sessions' && body.session_id === session_id,
    ],
    [
      usual,
      { types: ['AgentSpawned', 'TaskCreated'] },
      ({ type }) => type === 'AgentSpawned' || type === 'TaskCreated',
    ],
    [['sessions'], { types: ['EnvSessionCreated'] }, ({ type }) => type === 'EnvSessionCreated'],
    [
      ['tasks'],
      { types: ['TaskUpdated'], session_id, task_id: id },
      ({ type, body }) => type === 'TaskUpdated' && body.task_id === id,
    ],
    [['tasks'], { types: null, session_id: null, task_id: null }, ({ told }) => told.channel === 'tasks'],
    [['tasks'], { task_id: 'nobody' }, () => false],
  ]
  for (const [channels, filter, fits] of cases) {
    const socket = await openSocket(url)
    await socket.ask({ type: 'subscribe', channels, since: 0, filter })
    const expected = all.filter(fits).map(({ told }) => told)
    await isLast(socket, expected.at(-1)?.id)
    t.same(socket.told(), expected, JSON.stringify(filter))
    await socket.cut()
  }
})

t.test('what cannot be subscribed to is told, and what was subscribed to goes on', async t => {
  const socket = await openSocket(url)
  const { id } = await create()
  await socket.ask({ type: 'subscribe', channels: ['tasks'] })
  const head = system.bus.events.position()
  const refused: [Record<string, unknown>, string[]][] = [
    [{}, ['body channels missing']],
    [{ channels: 'tasks' }, ['body channels list_type']],
    [{ channels: [] }, ['body channels too_short']],
    [{ channels: ['tasks', 'nothing', 'Task'] }, ['body channels 1 enum', 'body channels 2 enum']],
    [{ channels: ['tasks'], since: head + 1000 }, ['body since value_error']],
    [{ channels: ['tasks'], since: -1 }, ['body since greater_than_equal']],
    [{ channels: ['tasks'], since: 1.5 }, ['body since int_from_float']],
    [{ channels: ['tasks'], since: 'x' }, ['body since int_parsing']],
    [{ channels: ['tasks'], since: '' }, ['body since int_parsing']],
    [{ channels: ['tasks'], since: '007' }, ['body since int_parsing']],
    [{ channels: ['tasks'], since: [] }, ['body since int_type']],
    [{ channels: ['tasks'], filter: { types: ['TaskCreated', 'AgentError'] } }, ['body filter types 1 enum']],
    [{ channels: ['tasks'], filter: { types: ['Nothing'] } }, ['body filter types 0 enum']],
    [
      { channels: ['tasks'], filter: { task_id: 1, session_id: 2 } },
      ['body filter session_id string_type', 'body filter task_id string_type'],
    ],
    [{ channels: ['task'] }, ['body task_id missing']],
    [{ channels: ['task', 'tasks'], task_id: id }, ['body channels value_error']],
    [{ channels: ['task'], task_id: id, since: 1000 }, ['body since value_error']],
    [{ channels: ['task'], task_id: id, since: -2 }, ['body since greater_than_equal']],
  ]
  for (const [message, problems] of refused) {
    const answer = await socket.ask({ type: 'subscribe', ...message })
    t.same([answer.error?.code, briefly(answer)], [-32602, problems], JSON.stringify(message))
  }
  await create()
  const last = (await everything()).findLast(({ told }) => told.channel === 'tasks')
  await isLast(socket, last?.id)
  t.same(socket.told().at(-1), last?.told)
  await socket.cut()
})

t.test(
  'a second subscribe takes the place of the first, and unsubscribe ends it, whole or in part',
  async t => {
    const socket = await openSocket(url)
    const channelsHeard = async () => {
      const from = system.bus.events.position()
      await create()
      await sessionOf()
      await until(() => socket.told().length >= 0)
      t.equal((await socket.ask({ type: 'ping' })).type, 'pong')
      await pause(30)
      return [
        ...new Set(
          socket
            .told()
            .filter(({ id = 0 }) => id > from)
            .map(({ channel }) => channel),
        ),
      ].sort()
    }
    await socket.ask({ type: 'subscribe', channels: ['tasks'] })
    t.same(await channelsHeard(), ['tasks'])
    await socket.ask({ type: 'subscribe', channels: ['agents', 'sessions', 'tasks'] })
    t.same(await channelsHeard(), ['agents', 'sessions', 'tasks'])
    t.same((await socket.ask({ type: 'unsubscribe', channels: ['tasks', 'cron'] })).channels, ['tasks'])
    t.same(await channelsHeard(), ['agents', 'sessions'])
    t.same((await socket.ask({ type: 'unsubscribe' })).channels, ['agents', 'sessions'])
    t.same(await channelsHeard(), [])
    t.same(await socket.ask({ type: 'unsubscribe' }), {
      type: 'unsubscribed',
      request_id: 'ask-9',
      channels: [],
    })
    const ids = socket.told().map(({ id }) => id)
    t.same(
      ids,
      [...new Set(ids)].sort((a = 0, b = 0) => a - b),
      'in order, and none twice',
    )
    await socket.cut()
  },
)

t.test("a user's token hears that user's events and no other's", async t => {
  const tokens = {
    ann: (await tokenOf({ role: 'user', user_id: 'ann' })).token,
    bob: (await tokenOf({ role: 'subscriber', user_id: 'bob' })).token,
    annsAdmin: (await tokenOf({ role: 'admin', user_id: 'ann' })).token,
    bobsAuditor: (await tokenOf({ role: 'auditor', user_id: 'bob' })).token,
  }
  const open = async (token: string, more: object) => {
    const socket = await openSocket(url, { token })
    await socket.ask({ type: 'subscribe', channels: eventChannels, ...more })
    return socket
  }
  const ofAnn = await create({ session_id: 'shared' }, apiOf(url, tokens.ann))
  const since = 0
  const sockets = await Promise.all(Object.values(tokens).map(token => open(token, { since })))
  const live = await Promise.all(Object.values(tokens).map(token => open(token, {})))
  const spying = await open(tokens.bob, { since, filter: { task_id: ofAnn.id } })
  const from = system.bus.events.position()
  await create({ session_id: 'shared', ...playing({ subagent: 'echo', input: 'x' }) }, apiOf(url, tokens.ann))
  await create({ session_id: 'shared', user_id: 'bob' })
  await create()
  const all = await everything()
  for (const [n, owner] of ['ann', 'bob', 'ann', 'bob'].entries()) {
    const own = all.filter(event => event.owner === owner)
    await isLast(sockets[n] as Socket, own.at(-1)?.id)
    t.same(
      sockets[n]?.told(),
      own.map(({ told }) => told),
      owner,
    )
    await isLast(live[n] as Socket, own.at(-1)?.id)
    t.same(
      live[n]?.told(),
      own.filter(({ id }) => id > from).map(({ told }) => told),
    )
  }
  t.same(spying.told(), [])
  await Promise.all([spying, ...sockets, ...live].map(socket => socket.cut()))
})

t.test('everybody hears the same in the same order, wherever they begin, while much happens', async t => {
  const sockets: { socket: Socket; after: number }[] = []
  const open = async (after: number) => {
    const socket = await openSocket(url)
    await socket.ask({ type: 'subscribe', channels: usual, since: after })
    sockets.push({ socket, after })
  }
  await open(0)
  const work = Array.from({ length: 40 }, (_, n) => create({ user_message_content: `${n}` }))
  for (let n = 0; n < 6; n++) await open(n % 2 === 0 ? 0 : system.bus.events.position())
  await Promise.all(work)
  const all = (await everything()).filter(({ told }) => told.channel !== 'sessions')
  for (const { socket, after } of sockets) {
    const expected = all.filter(({ id }) => id > after)
    await isLast(socket, expected.at(-1)?.id)
    t.same(
      socket.told(),
      expected.map(({ told }) => told),
    )
    await socket.cut()
  }
})

t.test("a task's frames, from any of them on, until it has ended", async t => {
  const { id } = await create(playing({ message: 'one two three', delta_ms: 1 }))
  const frames = (await read(api('GET', `/tasks/${id}/events?limit=1000`))).body.result as unknown as {
    sequence_number: number
    type: string
  }[]
  const last = frames.length - 1
  for (const since of [undefined, -1, 'earliest', 0, '3', last - 1, last]) {
    const socket = await openSocket(url, { token: (await tokenOf({ role: 'subscriber' })).token })
    const answer = await socket.ask({ type: 'subscribe', channels: ['task'], task_id: id, since })
    const position = since === undefined || since === 'earliest' ? -1 : Number(since)
    t.match(answer, { channels: ['task'], task_id: id, position, recovered: since !== undefined })
    const ended = await socket.until(({ type }) => type === 'ended')
    t.same(ended, { type: 'ended', channel: 'task', task_id: id, id: last })
    t.same(
      socket.told().map(({ data }) => data),
      frames.filter(({ sequence_number }) => sequence_number > position),
    )
    await socket.cut()
  }
})

t.test('several tasks at once, one of them given up, beside the events of all', async t => {
  const socket = await openSocket(url)
  const script = { ...playing({ message: 'begun' }, { sleep_ms: 600_000 }), background: true }
  const tasks = await Promise.all([1, 2, 3].map(() => create(script)))
  await socket.ask({ type: 'subscribe', channels: ['tasks'] })
  for (const { id } of tasks) await socket.ask({ type: 'subscribe', channels: ['task'], task_id: id })
  const [first, second, third] = tasks.map(({ id }) => id)
  const framesOf = (id: string | undefined) =>
    socket.told().filter(({ channel, data }) => channel === 'task' && data?.task_id === id)
  await until(() =>
    tasks.every(({ id }) => framesOf(id).some(({ type }) => type === 'task.output_item.done')),
  )
  const gone = { type: 'unsubscribe', channels: ['task'], task_id: first }
  t.same((await socket.ask(gone)).channels, ['task'])
  t.same((await socket.ask(gone)).channels, [], 'it is gone')
  t.same(briefly(await socket.ask({ type: 'unsubscribe', channels: ['task'] })), ['body task_id missing'])
  const before = framesOf(first).length
  for (const id of [first, second, third]) await read(api('POST', `/tasks/${id}/cancel`))
  await until(() => socket.heard.filter(({ type }) => type === 'ended').length === 2)
  t.equal(framesOf(first).length, before)
  for (const id of [second, third]) t.equal(framesOf(id).at(-1)?.type, 'task.canceled')
  await socket.until(({ type, data }) => type === 'TaskStatusChanged' && data?.task_id === first)
  await socket.cut()
})

t.test('no more than 64 tasks are followed at once', async t => {
  const socket = await openSocket(url)
  const { id } = await create({ ...playing({ sleep_ms: 600_000 }), background: true, session_id: 'busy' })
  const queued = await Promise.all(
    Array.from({ length: 64 }, () => create({ background: true, session_id: 'busy' })),
  )
  const follow = (task_id = '') => socket.ask({ type: 'subscribe', channels: ['task'], task_id })
  for (const task of queued) t.equal((await follow(task.id)).type, 'subscribed')
  const full = { code: -32027, data: { quota: 'task_channels', limit: 64 } }
  t.match(await follow(id), { type: 'error', error: full })
  t.equal((await follow(queued[0]?.id)).type, 'subscribed', 'the same one again')
  t.match(await socket.ask({ type: 'create', ...echo, stream: true }), { error: full })
  const metrics = families(await (await fetch(`${url}/metrics`)).text())
  t.equal(sampleOf(metrics, 'reprise_quota_refusals_total', { quota: 'task_channels' }), 2)
  await socket.ask({ type: 'unsubscribe', task_id: queued[1]?.id })
  t.equal((await follow(id)).type, 'subscribed')
  await socket.cut()
})

t.test('the server has nothing to complain of', async t => {
  t.same(lines, [])
})
