// AUDIT_READS=1: the log says which token was shown which tasks, over every surface.
import t from 'tap'
import { operations } from '../../src/documents/operations.ts'
import { messagesTo } from '../doors/mcp/messages.ts'
import { read, until } from '../support/http.ts'
import { allOf } from '../support/pages.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { script, tasksOf } from './agent-tasks.ts'
import { openSocket } from './socket/client.ts'

const server = await serveHere(t, { AUDIT_READS: '1' })
const { api, url, system } = server

type Read = { principal: string; route: string; ids: string[]; count: number }
/** What the log says about reads so far. */
const stored = async (log = system.log): Promise<Read[]> => {
  const events = await allOf(log.readAll())
  return events.filter(({ header }) => header.type === 'ReadAccess').map(({ data }) => data as Read)
}
const readsOf = async (principal: string): Promise<Read[]> =>
  (await stored()).filter(each => each.principal === principal)

type Token = { token: string; id: string }
const tokenOf = async (body: object) => {
  const made = (await read(api('POST', '/auth/tokens', body))).body as unknown as Token
  return { id: made.id, api: apiOf(url, made.token), token: made.token }
}
const { play, becomes } = tasksOf(api)
const auditor = await tokenOf({ role: 'auditor' })
const ada = await tokenOf({ role: 'user', user_id: 'ada' })
const bob = await tokenOf({ role: 'user', user_id: 'bob' })
const one = await play([{ message: 'a' }], { user_id: 'ada', task_id: 'one' })
const two = await play([{ message: 'b' }], { user_id: 'ada', task_id: 'two' })
const sse = { accept: 'text/event-stream' }

/** The reader asks A2A for a task of the agent `script`, by its path and by `tenant`. */
const askA2A = async (method: string, where: string, body?: object) => {
  const answer = await fetch(url + where, {
    method,
    headers: {
      authorization: `Bearer ${auditor.token}`,
      'content-type': 'application/json',
      'last-event-id': '0',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await answer.text()
}
const getOne = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'one' } }
const ofA2A: Record<string, { reads: () => Promise<unknown>; ids: string[] }> = Object.fromEntries(
  (
    [
      ['/a2a', '?tenant=script'],
      ['/a2a/{agent}', ''],
    ] as const
  ).flatMap(([root, query]) => {
    const at = root.replace('{agent}', 'script')
    const rpc = query === '' ? getOne : { ...getOne, params: { ...getOne.params, tenant: 'script' } }
    return [
      [`POST ${root}`, { reads: () => askA2A('POST', at, rpc), ids: ['one'] }],
      [`GET ${root}/tasks`, { reads: () => askA2A('GET', `${at}/tasks${query}`), ids: ['one', 'two'] }],
      [
        `GET ${root}/tasks/{task_id}`,
        { reads: () => askA2A('GET', `${at}/tasks/two${query}`), ids: ['two'] },
      ],
      [
        `POST ${root}/tasks/{call}`,
        { reads: () => askA2A('POST', `${at}/tasks/one:subscribe${query}`), ids: ['one'] },
      ],
    ]
  }),
)

/** What a reader does, and the route and the tasks that the log must name. */
const surfaces: Record<string, { reads: () => Promise<unknown>; ids: string[] }> = {
  'GET /v1/tasks/{task_id}': { reads: () => auditor.api('GET', '/tasks/one'), ids: ['one'] },
  'GET /v1/tasks/{task_id}/events': {
    reads: async () => {
      await auditor.api('GET', '/tasks/one/events')
      await auditor.api('GET', '/tasks/two/events', undefined, sse).then(answer => answer.text())
    },
    ids: ['one', 'two'],
  },
  'GET /v1/tasks': { reads: () => auditor.api('GET', '/tasks'), ids: ['one', 'two'] },
  'GET /v1/tasks/{task_id}/rollouts': {
    reads: () => auditor.api('GET', '/tasks/one/rollouts'),
    ids: ['one'],
  },
  'GET /v1/responses/{response_id}': {
    reads: async () => {
      await auditor.api('GET', '/responses/resp_one')
      await auditor.api('GET', '/responses/resp_two?stream=true').then(answer => answer.text())
    },
    ids: ['one', 'two'],
  },
  'GET /v1/responses/{response_id}/input_items': {
    reads: () => auditor.api('GET', '/responses/resp_one/input_items'),
    ids: ['one'],
  },
  'GET /v1/rollouts': {
    reads: () => auditor.api('GET', '/rollouts').then(answer => answer.text()),
    ids: ['one', 'two'],
  },
  'GET /v1/tasks/{task_id}/diff/{other}': {
    reads: () => auditor.api('GET', '/tasks/one/diff/two'),
    ids: ['one', 'two'],
  },
  'POST /v1/tasks/{task_id}/replay': {
    reads: () => auditor.api('POST', '/tasks/two/replay'),
    ids: ['two'],
  },
  'GET /v1/tasks/{task_id}/machine': {
    reads: () => auditor.api('GET', '/tasks/two/machine'),
    ids: ['two'],
  },
  'GET /v1/audit/events': {
    reads: () => auditor.api('GET', '/audit/events?stream=task-one').then(answer => answer.text()),
    ids: ['one'],
  },
  'GET /v1/audit/streams': {
    reads: () => auditor.api('GET', '/audit/streams').then(answer => answer.text()),
    ids: ['one', 'two'],
  },
  'GET /v1/audit/export': {
    reads: () => auditor.api('GET', '/audit/export?user_id=ada').then(answer => answer.arrayBuffer()),
    ids: ['one', 'two'],
  },
  'GET /v1/audit/tlog/tile/entries/{tile}': {
    reads: async () => {
      const size = Number((await (await auditor.api('GET', '/audit/checkpoint')).text()).split('\n')[1])
      const answer = await auditor.api('GET', `/audit/tlog/tile/entries/000.p/${size}`)
      if (answer.status !== 200) throw new Error(await answer.text())
    },
    ids: ['one', 'two'],
  },
  'POST /mcp': {
    reads: async () => {
      const send = messagesTo(url, { token: auditor.token })
      await send('tasks/get', { taskId: 'one' })
      await send('resources/read', { uri: 'task://two' })
    },
    ids: ['one', 'two'],
  },
  ...ofA2A,
  'GET /api/events': {
    reads: async () => {
      const headers = { authorization: `Bearer ${auditor.token}` }
      const cut = new AbortController()
      await fetch(`${url}/api/events?task_id=two`, { headers, signal: cut.signal })
      cut.abort()
    },
    ids: ['two'],
  },
}
/** Operations that show no task, or show it to whoever has just stored an event about it. */
const others =
  /^(GET \/v1\/(env|agents|models|workers|webhooks|cron|auth|metrics)|GET \/($|ui|healthz|readyz|metrics|docs|openapi|asyncapi|ws)|GET \/(\.well-known|a2a\/(\{agent\}\/)?(\.well-known|extendedAgentCard|tasks\/\{task_id\}\/push))|GET \/v1\/audit\/(holds|checkpoint|public-key|proof|consistency|tlog\/checkpoint|tlog\/tile\/\{level\}))/

t.test('each operation that shows tasks to a reader is recorded', async t => {
  for (const { method, path, access } of operations) {
    const route = `${method} ${path}`
    const isReading = method === 'GET' || access === 'read'
    if (isReading) t.ok(route in surfaces || others.test(route), `${route} is recorded, or shows no task`)
  }
  const since = Date.now()
  for (const { reads } of Object.values(surfaces)) await reads()
  await until(async () => (await readsOf(auditor.id)).some(({ route }) => route === 'GET /api/events'))
  t.ok(Date.now() - since < 30_000)
  const found = await readsOf(auditor.id)
  for (const [route, { ids }] of Object.entries(surfaces)) {
    const of = found.filter(each => each.route === route)
    t.same([...new Set(of.flatMap(each => each.ids))].sort(), ids, route)
    t.ok(of.reduce((sum, { count }) => sum + count, 0) >= 1, route)
  }
})

t.test('subscriptions and commands on /ws are recorded', async t => {
  const socket = await openSocket(url, { headers: { authorization: `Bearer ${ada.token}` } })
  await socket.ask({ type: 'subscribe', channels: ['task'], task_id: 'one' })
  await socket.ask({ type: 'subscribe', channels: ['tasks'], filter: { task_id: 'two' } })
  await socket.ask({ type: 'cancel', task_id: 'one' })
  const slow = await play([{ sleep_ms: 60_000 }], { user_id: 'ada', background: true, task_id: 'slow' })
  await becomes(slow.id, 'working')
  await socket.ask({ type: 'cancel', task_id: slow.id })
  await socket.cut()
  await until(async () => (await readsOf(ada.id)).some(({ route }) => route === '/ws cancel'))
  const found = await readsOf(ada.id)
  const idsAt = (wanted: string) =>
    found
      .filter(({ route }) => route === wanted)
      .flatMap(({ ids }) => ids)
      .sort()
  t.same(idsAt('/ws subscribe'), ['one', 'two'])
  t.same(idsAt('/ws cancel'), ['slow'], 'a refused command shows nothing')
})

t.test('a command that changes nothing shows its task, and that is recorded', async t => {
  t.equal((await ada.api('POST', '/tasks/slow/cancel')).status, 200)
  const body = {
    user_message_content: 'x',
    stream: false,
    task_id: 'again',
    agent_config: script({ message: 'x' }),
  }
  await ada.api('POST', '/tasks', body)
  t.equal((await ada.api('POST', '/tasks', body)).headers.get('idempotency-replayed'), 'true')
  await until(async () => (await readsOf(ada.id)).some(({ route }) => route === 'POST /v1/tasks'))
  const found = await readsOf(ada.id)
  t.match(
    found.filter(({ route }) => route.startsWith('POST')),
    [
      { route: 'POST /v1/tasks/{task_id}/cancel', ids: ['slow'], count: 1 },
      { route: 'POST /v1/tasks', ids: ['again'], count: 1 },
    ],
  )
})

t.test('what is refused is not recorded, and only auditors of all users see the records', async t => {
  t.equal((await bob.api('GET', '/tasks/one')).status, 404)
  t.equal((await bob.api('GET', '/tasks/one/events')).status, 404)
  await bob.api('GET', '/tasks')
  await until(async () => (await readsOf(bob.id)).length > 0)
  t.same(await readsOf(bob.id), [{ principal: bob.id, route: 'GET /v1/tasks', ids: [], count: 1 }])
  const stream = `access-${new Date().toISOString().slice(0, 10)}`
  const seen = await read(auditor.api('GET', `/audit/events?stream=${stream}&limit=1`))
  t.match(JSON.parse(seen.text), { data: [{ stream, type: 'ReadAccess', principal: 'system' }] })
  t.equal((await ada.api('GET', `/audit/events?stream=${stream}`)).status, 404)
})

t.test('a stop stores what was noted', async t => {
  const late = await tokenOf({ role: 'auditor' })
  await late.api('GET', `/tasks/${one.id}`)
  await server.stop()
  const again = await serveHere(t, { DATA_DIR: server.dataDir })
  const found = await stored(again.system.log)
  t.match(
    found.filter(({ principal }) => principal === late.id),
    [{ route: 'GET /v1/tasks/{task_id}', ids: [one.id], count: 1 }],
  )
  const before = found.length
  await again.api('GET', `/tasks/${two.id}`)
  await again.stop()
  const third = await serveHere(t, { DATA_DIR: server.dataDir })
  t.equal((await stored(third.system.log)).length, before, 'without AUDIT_READS nothing is recorded')
})
