// GET /tasks?as_of=: the list as it was at a position of the log or at a time.
import t from 'tap'
import { taskStatuses } from '../../src/contract/wire.ts'
import { brief, read } from '../support/http.ts'
import { allOf } from '../support/pages.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { type AgentTask, tasksOf, tool } from './agent-tasks.ts'

const { api, url, system } = await serveHere(t, { MAX_RUNNING_TASKS: '1' })
const { play, get, act, becomes, post } = tasksOf(api)
const listed = async (query: string, as = api) =>
  read(as('GET', `/tasks?${/limit/.test(query) ? '' : 'limit=100&'}${query}`))
const then = async (at: number, query = '', as = api) => {
  const { status, body, text } = await listed(`as_of=position:${at}&${query}`, as)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return body.result as unknown as AgentTask[]
}

const slow = await play([{ sleep_ms: 60_000 }, { message: 'late' }], { background: true, session_id: 'a' })
await becomes(slow.id, 'working')
const waiting = await play([{ message: 'x' }], { background: true, session_id: 'b' })
await act(slow.id, 'cancel')
await becomes(waiting.id, 'completed')
const asking = await play([{ tool: 'ask' }, { message: 'so' }], {
  client_tools: [tool('ask')],
  session_id: 'a',
})
const resting = await play([{ pause: 'look' }, { message: 'on' }], { session_id: 'b' })
await act(resting.id, 'resume')
await becomes(resting.id, 'completed')
const failing = await play([{ fail: { code: -32000, message: 'no' } }], { session_id: 'a' })
await act(asking.id, 'cancel')
await api('DELETE', `/tasks/${failing.id}`)
await api('DELETE', `/tasks/${slow.id}`)
const ids = [slow, waiting, asking, resting, failing].map(({ id }) => id).reverse()

t.test('at every position the list has each task as it was then, for every filter', async t => {
  const head = system.log.head()
  for (let at = 0; at <= head; at++) {
    const known = await Promise.all(
      ids.map(async id => ({ id, answer: await read(api('GET', `/tasks/${id}?as_of=position:${at}`)) })),
    )
    const there = known.flatMap(({ answer }) =>
      answer.status === 200 ? [answer.body.result as unknown as AgentTask] : [],
    )
    t.same(await then(at), there, `all, at ${at}`)
    t.same(await then(at, 'session_id=a&order=asc'), there.filter(task => task.session_id === 'a').reverse())
    const byStatus = await Promise.all(taskStatuses.map(status => then(at, `status=${status}`)))
    t.same(
      byStatus,
      taskStatuses.map(status => there.filter(task => task.status === status)),
      `each status, at ${at}`,
    )
  }
})

t.test('the list can be turned by cursor, and a time names the last position of that time', async t => {
  const head = system.log.head()
  const [first, second] = await then(head)
  t.same(await then(head, `limit=1&starting_after=${first?.id}`).then(([one]) => one), second)
  const [event] = await allOf(system.log.readAll(head - 1))
  const inTime = await listed(`as_of=${event?.header.time}`)
  t.same(inTime.body.result, await then(system.log.lastAt(Date.parse(event?.header.time ?? ''))))
  const early = await listed('as_of=2020-01-01')
  t.same(early.body.result, [])
})

t.test('a time without an offset is a time of UTC, wherever the server runs', async t => {
  const before = process.env.TZ
  process.env.TZ = 'America/New_York'
  t.teardown(() => {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  })
  const [event] = await allOf(system.log.readAll(system.log.head() - 1))
  const time = event?.header.time ?? ''
  const withoutOffset = time.replace('Z', '')
  const inTime = await listed(`as_of=${withoutOffset}`)
  t.equal(inTime.status, 200, 'it is not in the future')
  t.same(inTime.body.result, (await listed(`as_of=${time}`)).body.result)
  const [first] = await allOf(system.log.readAll(0))
  const from = first?.header.time ?? ''
  const since = await listed(`created_after=${from.replace('Z', '')}`)
  t.not((since.body.result as unknown as AgentTask[]).length, 0)
  t.same(since.body.result, (await listed(`created_after=${from}`)).body.result)
})

t.test('what is not a moment of the past is refused', async t => {
  for (const as_of of ['7', 'position:999999', '2999-01-01', 'yesterday']) {
    const { status, body } = await listed(`as_of=${as_of}`)
    t.equal(status, 422, as_of)
    t.match(body, { detail: [{ loc: ['query', 'as_of'] }] })
  }
  t.equal((await listed('as_of=position:1&fields=counts')).status, 422)
  const several = await listed('as_of=7&limit=0&order=up')
  t.same(
    brief(several.body.detail).map(problem => problem.split(' ')[1]),
    ['limit', 'order', 'as_of'],
    'with the other problems of the query',
  )
})

t.test('a deleted task is there for admins and auditors, before its deletion', async t => {
  const { body } = await read(api('POST', '/auth/tokens', { user_id: 'default', role: 'user' }))
  const user = apiOf(url, (body as unknown as { token: string }).token)
  const events = await allOf(system.log.readStream(`task-${failing.id}`))
  const deleted = events.at(-1)?.position ?? 0
  t.ok((await then(deleted - 1)).some(({ id }) => id === failing.id))
  t.notOk((await then(deleted)).some(({ id }) => id === failing.id))
  t.notOk((await then(deleted - 1, '', user)).some(({ id }) => id === failing.id))
  const by = (as: typeof api, at: number | string) =>
    read(as('GET', `/tasks/${failing.id}?as_of=${typeof at === 'number' ? `position:${at}` : at}`))
  t.equal((await by(api, deleted - 1)).status, 200)
  t.equal((await by(api, '0')).status, 200)
  t.equal((await by(api, deleted)).status, 404)
  t.equal((await by(user, deleted - 1)).status, 404)
})

t.test('a task whose life was long is found too', async t => {
  const asking = await play([{ tool: 'ask' }], { client_tools: [tool('ask')], session_id: 'c' })
  const view = await get(asking.id)
  const before = system.log.head()
  const { header } = (await allOf(system.log.readStream(`task-${slow.id}`))).at(-1) ?? {}
  if (header === undefined) throw new Error('no events')
  const { principal, owner, session_id, correlation_id, causation_id, seq = 0, frames = 0 } = header
  const envelope = { principal, owner, session_id, correlation_id, causation_id }
  const reward = {
    type: 'RewardGiven',
    schema_version: 1,
    data: { by: 'x', value: 1 },
    seq: seq + frames,
    frames: 0,
  }
  const stream = header.stream
  await system.log.append([
    {
      stream,
      expectedRevision: header.revision,
      ...envelope,
      events: Array.from({ length: 5000 }, () => reward),
    },
  ])
  await act(asking.id, 'cancel')
  await post({ agent_config: { agent_id: 'echo' } })
  for (const at of [before, before + 100, before + 4900]) {
    t.same(await then(at, 'status=input-required'), [view], `${at - before} events later`)
  }
  t.same(await then(system.log.head(), 'status=input-required'), [])
})
