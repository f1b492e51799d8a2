// Every list of our own has one form, and is read to its end in one way.
import { once } from 'node:events'
import t from 'tap'
import { operations } from '../../src/documents/operations.ts'
import { brief, read, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'

type List = { object: string; data: Record<string, unknown>[]; has_more: boolean; next_cursor: string | null }

const { api, url } = await serveHere(t, { ALLOW_PRIVATE_URLS: '1' })
const made = async (path: string, body: object) =>
  (await read(api('POST', path, body))).body as unknown as Record<string, string>
const listed = async (path: string) => {
  const { status, body } = await read(api('GET', path))
  if (status !== 200) throw new Error(`${path} answers ${status}`)
  return body as unknown as List
}

const task = { user_message_content: 'x', client_id: 'echo' }
const hook = { url: 'http://127.0.0.1:9/', types: ['TaskCreated'] }
const jobs: string[] = []
for (let n = 0; n < 3; n++) {
  const { job_id = '' } = await made('/cron/jobs', { name: `job ${n}`, schedule: '@yearly', task })
  jobs.push(job_id)
  await made('/webhooks', { ...hook, enabled: false })
  await made('/auth/tokens', { role: 'user', name: `token ${n}` })
  await made('/audit/holds', { user_id: `held-${n}`, reason: 'case' })
}
for (let n = 0; n < 3; n++) {
  const { run_id } = await made(`/cron/jobs/${jobs[0]}/trigger`, {})
  await until(async () =>
    (await listed(`/cron/jobs/${jobs[0]}/runs`)).data.some(run => run.run_id === run_id && run.ended_at),
  )
}
const { id: receiver } = await made('/webhooks', { ...hook, types: ['TaskCreated', 'TaskStatusChanged'] })
await made('/tasks', { ...task, stream: false })
await until(async () => (await listed(`/webhooks/${receiver}/deliveries`)).data.length > 0)
await until(async () => (await listed('/metrics/past-hour')).data.length > 1)

const { token: work } = await made('/auth/tokens', { role: 'worker' })
for (const name of ['w1', 'w2', 'w3']) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/workers`)
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'auth', token: work }))
  socket.send(JSON.stringify({ type: 'hello', protocol: 1, name, agents: [{ name: 'support' }] }))
  t.teardown(() => socket.close())
}
await until(async () => (await listed('/workers')).data.length === 3)

/** The path of each list, and the field in which an entry differs from all others. */
const lists: Record<string, [string, string]> = {
  listAgents: ['/agents', 'name'],
  listWorkers: ['/workers', 'name'],
  listCronJobs: ['/cron/jobs', 'job_id'],
  listCronRuns: [`/cron/jobs/${jobs[0]}/runs`, 'run_id'],
  listWebhooks: ['/webhooks', 'id'],
  listDeliveries: [`/webhooks/${receiver}/deliveries`, 'id'],
  listTokens: ['/auth/tokens', 'id'],
  listHolds: ['/audit/holds', 'hold_id'],
  auditEvents: ['/audit/events', 'position'],
  auditStreams: ['/audit/streams', 'stream'],
  getPastMetrics: ['/metrics/past-hour', 'at'],
}

/** All entries, and the sizes of the pages. */
const pagesOf = async (path: string, limit: number) => {
  const data: Record<string, unknown>[] = []
  const sizes: number[] = []
  for (let cursor = ''; ; ) {
    const page = await listed(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${cursor}`)
    data.push(...page.data)
    sizes.push(page.data.length)
    if (page.next_cursor === null) {
      t.equal(page.has_more, false, `${path} is at its end`)
      return { data, sizes }
    }
    t.equal(page.has_more, true)
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

t.test('these are all lists that the documents describe', async t => {
  const described = operations.filter(({ parameters = [] }) =>
    parameters.some(({ name }) => name === 'cursor'),
  )
  t.same(described.map(({ id }) => id).sort(), Object.keys(lists).sort())
})

for (const [operation, [path, key]] of Object.entries(lists)) {
  t.test(`${operation} is a list, and its pages are the whole`, async t => {
    const whole = await listed(`${path}?limit=${path === '/metrics/past-hour' ? 1000 : 100}`)
    t.same(Object.keys(whole).slice(0, 4), ['object', 'data', 'has_more', 'next_cursor'])
    t.match(whole, { object: 'list', has_more: false, next_cursor: null })
    for (const limit of [1, 2, 100]) {
      const { data, sizes } = await pagesOf(path, limit)
      const keys = data.map(each => each[key])
      t.same(keys.slice(0, whole.data.length), keys.length > 0 && whole.data.map(each => each[key]))
      t.equal(new Set(keys).size, keys.length, 'no entry comes twice')
      t.ok(sizes.slice(0, -1).every(size => size === limit))
    }
  })

  t.test(`${operation} refuses what is no cursor of this list`, async t => {
    const other = await listed(operation === 'listTokens' ? '/audit/holds?limit=1' : '/auth/tokens?limit=1')
    for (const cursor of ['', 'nonsense', '12', 'e30', String(other.next_cursor)]) {
      const { status, body } = await read(api('GET', `${path}?cursor=${cursor}`))
      t.equal(status, 422, cursor)
      t.same(brief(body.detail), ['query cursor value_error'], cursor)
      t.match(body.detail[0]?.msg, /next_cursor/)
    }
    for (const limit of ['0', 'x']) t.equal((await api('GET', `${path}?limit=${limit}`)).status, 422)
  })
}

t.test('a page goes on although the entry at which it ended is gone', async t => {
  for (const [path, key, remove] of [
    ['/cron/jobs', 'job_id', (id: unknown) => api('DELETE', `/cron/jobs/${id}`)],
    ['/auth/tokens', 'id', (id: unknown) => api('DELETE', `/auth/tokens/${id}`)],
    ['/webhooks', 'id', (id: unknown) => api('DELETE', `/webhooks/${id}`)],
  ] as const) {
    const { data: all } = await listed(path)
    const first = await listed(`${path}?limit=1`)
    t.equal((await remove(first.data[0]?.[key])).status, 200)
    const next = await listed(`${path}?cursor=${first.next_cursor}`)
    t.same(
      next.data.map(each => each[key]),
      all.slice(1).map(each => each[key]),
      path,
    )
  }
})

t.test('the cursor goes on within what the filters choose', async t => {
  const { data: streams } = await pagesOf('/audit/streams?search=cron-&order=desc', 1)
  t.same(
    streams.map(({ stream }) => stream),
    jobs.toReversed().map(id => `cron-${id}`),
  )
  const { data: events } = await pagesOf('/audit/events?after=3&stream=holds', 1)
  t.same(
    events.map(({ type }) => type),
    ['HoldPlaced', 'HoldPlaced', 'HoldPlaced'],
  )
  const { next_cursor } = await listed('/audit/events?limit=4')
  const lines = await api('GET', `/audit/events?limit=2&cursor=${next_cursor}`, undefined, {
    accept: 'application/x-ndjson',
  })
  t.same(
    (await lines.text())
      .trimEnd()
      .split('\n')
      .map(line => (JSON.parse(line) as { position: number }).position),
    [5, 6],
    'lines have no cursor of their own, and take one',
  )
})
