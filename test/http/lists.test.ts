// GET /tasks against a model of it: an array, newest first.
import t from 'tap'
import { apiAs, brief, idsOf, pause, read, type TaskJson } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { randomOf } from '../support/world.ts'

const { api, url } = await serveHere(t)
const list = (query = '') => read(api('GET', `/tasks${query}`))
const seed = Number(process.env.SEED ?? 20_260_101)
const random = randomOf(seed)
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T

type Known = {
  id: string
  session_id: string
  user_id: string
  status: string
  deleted: boolean
  agent: string
  /** As it is searched: code and message. */
  error: string
  /** Of its creation, milliseconds. */
  time: number
}
const known: Known[] = []
const scripts: Record<string, object[]> = {
  completed: [{ message: 'x' }],
  paused: [{ pause: 'x' }],
  working: [{ sleep_ms: 600_000 }],
  canceled: [{ sleep_ms: 600_000 }],
}

await t.test('there are tasks of every kind', async t => {
  for (let n = 0; n < 40; n++) {
    const wished = pick([...Object.keys(scripts), 'failed', 'said'])
    const message = pick(['The disk is FULL', 'no route to host', '100 % or_so'])
    const waits = wished === 'working' || wished === 'canceled'
    const { body } = await read(
      api('POST', '/tasks', {
        user_message_content: `${n}`,
        stream: false,
        background: waits,
        user_id: pick(['ann', 'Böb', 'c d']),
        session_id: waits ? undefined : pick(['s1', 's2', 's3']),
        agent_config:
          wished === 'said'
            ? { agent_id: 'echo' }
            : { agent_id: 'script', script: scripts[wished] ?? [{ fail: { code: -32000, message } }] },
      }),
    )
    const { id } = body.result
    let { status } = body.result
    if (wished === 'canceled')
      ({ status } = (await read(api('POST', `/tasks/${id}/cancel`))).body as unknown as TaskJson)
    t.equal(status, wished === 'said' ? 'completed' : wished)
    const { body: page } = await read(api('GET', `/tasks/${id}/events?limit=1`))
    const [first] = page.result as unknown as { timestamp: string }[]
    const error = wished === 'failed' ? `-32000 ${message}`.toLowerCase() : ''
    const agent = wished === 'said' ? 'echo' : 'script'
    known.unshift({
      ...body.result,
      status,
      deleted: false,
      agent,
      error,
      time: Date.parse(first?.timestamp ?? ''),
    })
  }
  for (const task of known.filter(() => random() < 0.2)) {
    const { status } = await read(api('DELETE', `/tasks/${task.id}`))
    t.equal(status, 200)
    task.deleted = true
  }
})

type Wish = {
  session_id?: string
  user_id?: string
  status?: string[]
  agent?: string
  error?: string
  created_after?: string
  created_before?: string
  starting_after?: string
  ending_before?: string
  limit?: number
  order?: string
}
const millis = (time: string) => (/^[\d.]+$/.test(time) ? Math.round(Number(time) * 1000) : Date.parse(time))
const fits = (task: Known, wish: Wish): boolean =>
  !task.deleted &&
  (wish.session_id === undefined || wish.session_id === task.session_id) &&
  (wish.user_id === undefined || wish.user_id === task.user_id) &&
  (wish.status === undefined || wish.status.length === 0 || wish.status.includes(task.status)) &&
  (wish.agent === undefined || wish.agent === task.agent) &&
  (wish.error === undefined || (task.error !== '' && task.error.includes(wish.error.toLowerCase()))) &&
  (wish.created_after === undefined || task.time >= millis(wish.created_after)) &&
  (wish.created_before === undefined || task.time < millis(wish.created_before))
const model = (wish: Wish): string[] => {
  const ordered = wish.order === 'asc' ? [...known].reverse() : known
  const at = (id?: string) => ordered.findIndex(task => task.id === id)
  const reach =
    wish.starting_after !== undefined
      ? ordered.slice(at(wish.starting_after) + 1)
      : wish.ending_before !== undefined
        ? ordered.slice(0, at(wish.ending_before))
        : ordered
  const fitting = reach.filter(task => fits(task, wish))
  const limit = wish.limit ?? 10
  const page = wish.ending_before === undefined ? fitting.slice(0, limit) : fitting.slice(-limit)
  return page.map(({ id }) => id)
}
const queryOf = (wish: Wish): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(wish)) {
    if (Array.isArray(value)) for (const each of value) query.append(pick(['status', 'status[]']), each)
    else query.append(name, String(value))
  }
  return `?${query}`
}
/** A moment at or beside the creation of a task, in one of the forms that are taken. */
const someTime = (): string => {
  const time = pick(known).time + pick([-1, 0, 1])
  return pick([new Date(time).toISOString(), (time / 1000).toFixed(3), String(Math.floor(time / 1000))])
}
const maybe = <T>(chance: number, value: T): T | undefined => (random() < chance ? value : undefined)

const countsOf = (tasks: Known[]) => {
  const by_status: Record<string, number> = {}
  const by_agent: Record<string, Record<string, number>> = {}
  for (const { status, agent } of tasks) {
    by_status[status] = (by_status[status] ?? 0) + 1
    const own = by_agent[agent] ?? {}
    by_agent[agent] = { ...own, [status]: (own[status] ?? 0) + 1 }
  }
  return { total: tasks.length, by_status, by_agent }
}
/** The same value with its keys in order. */
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .sort()
          .map(([key, inner]) => [key, sorted(inner)]),
      )
    : value

t.test(`many random queries give what a naive model gives (SEED=${seed})`, async t => {
  const wrong: unknown[] = []
  let found = 0
  const ask = async () => {
    const direction = pick(['starting_after', 'ending_before', undefined, undefined])
    const wish = Object.fromEntries(
      Object.entries({
        session_id: maybe(0.3, pick(['s1', 's2', 's3', 'nothing'])),
        user_id: maybe(0.3, pick(['ann', 'Böb', 'c d', 'nobody'])),
        status: maybe(0.4, [
          pick(Object.keys(scripts)),
          pick([...Object.keys(scripts), 'queued', 'expired']),
        ]),
        agent: maybe(0.3, pick(['echo', 'script', 'nobody'])),
        error: maybe(0.3, pick(['full', 'disk IS', '-32000', 'route', '100 %', '_', '', 'no such'])),
        created_after: maybe(0.3, someTime()),
        created_before: maybe(0.3, someTime()),
        limit: maybe(0.7, 1 + Math.floor(random() * 30)),
        order: maybe(0.5, pick(['asc', 'desc'])),
        ...(direction === undefined ? {} : { [direction]: pick(known).id }),
      }).filter(([, value]) => value !== undefined),
    ) as Wish
    const query = queryOf(wish)
    const answer = await list(query)
    const expected = model(wish)
    found += expected.length
    const { starting_after: _, ending_before: __, limit: ___, order: ____, ...filters } = wish
    const counted = await list(`${queryOf(filters)}&fields=counts`)
    const fitting = known.filter(task => fits(task, filters))
    const counts = countsOf(fitting)
    if (
      counted.status !== 200 ||
      JSON.stringify(sorted(counted.body.result)) !== JSON.stringify(sorted(counts))
    )
      wrong.push({ query, counts, answer: counted.text })
    if (answer.status !== 200 || JSON.stringify(idsOf(answer)) !== JSON.stringify(expected))
      wrong.push({ query, expected, answer: answer.text.slice(0, 500) })
  }
  for (let n = 0; n < 40; n++) await Promise.all(Array.from({ length: 8 }, ask))
  t.same(wrong, [])
  t.ok(found > 300, 'the queries did find tasks')
})

t.test('newest first, ten of them, each as GET gives it', async t => {
  const answer = await list()
  t.equal(answer.status, 200)
  t.same(Object.keys(answer.body).sort(), ['id', 'jsonrpc', 'result'])
  const tasks = answer.body.result as unknown as TaskJson[]
  t.equal(tasks.length, 10)
  const single = await read(api('GET', `/tasks/${tasks[3]?.id}`))
  t.same(single.body.result, tasks[3])
})

t.test('a walk along Link visits every task once, in both orders, and ends', async t => {
  for (const order of ['desc', 'asc']) {
    const seen: string[] = []
    let next: string | undefined = `/v1/tasks?order=${order}&limit=7&status=completed&status[]=failed`
    while (next !== undefined && seen.length < 1000) {
      const answer = await read(fetch(url + next, { headers: { authorization: 'Bearer test-admin-token' } }))
      t.equal(answer.status, 200)
      seen.push(...idsOf(answer))
      const link: string | null = answer.headers.get('link')
      if (link !== null) t.match(link, /^<\/v1\/tasks\?[^<>\s]*>; rel="next"$/)
      next = link === null ? undefined : /<(.*)>/.exec(link)?.[1]
    }
    t.same(seen, model({ order, limit: 1000, status: ['completed', 'failed'] }), order)
  }
})

t.test('a deleted task is in no list and still a cursor', async t => {
  const gone = known.find(task => task.deleted)
  t.ok(gone)
  t.notOk(idsOf(await list('?limit=100')).includes(gone?.id ?? ''))
  t.equal((await list(`?starting_after=${gone?.id}`)).status, 200)
  t.equal((await list(`?ending_before=${gone?.id}`)).status, 200)
})

t.test('pages do not shift when tasks are created or change', async t => {
  const first = idsOf(await list('?limit=5'))
  await read(api('POST', '/tasks', { user_message_content: 'new', stream: false, client_id: 'echo' }))
  const second = idsOf(await list(`?limit=5&starting_after=${first.at(-1)}`))
  t.same([...first, ...second], model({ limit: 10 }))
})

const refused: [string, RegExp][] = [
  ['?limit=0', /^query limit greater_than_equal$/],
  ['?limit=101', /^query limit less_than_equal$/],
  ['?limit=-1', /^query limit greater_than_equal$/],
  ['?limit=true', /^query limit int_parsing$/],
  ['?limit=1.5', /^query limit int_parsing$/],
  ['?limit=1e1', /^query limit int_parsing$/],
  ['?limit=', /^query limit int_parsing$/],
  ['?limit', /^query limit int_parsing$/],
  ['?limit=%2010', /^query limit int_parsing$/],
  ['?limit=99999999999999999999', /^query limit /],
  ['?limit=5&limit=6', /^query limit /],
  ['?status=done', /^query status/],
  ['?status=', /^query status/],
  ['?status=completed&status=COMPLETED', /^query status/],
  ['?status[]=x', /^query status/],
  ['?order=up', /^query order enum$/],
  ['?order=asc&order=desc', /^query order /],
  ['?include_subtasks=1', /^query include_subtasks bool_parsing$/],
  ['?starting_after=nothing', /^query starting_after /],
  ['?starting_after=', /^query starting_after /],
  ['?starting_after=%00', /^query starting_after /],
  ['?starting_after=a&starting_after=b', /^query starting_after string_type$/],
  ['?ending_before=nothing', /^query ending_before /],
  ['?fields=all', /^query fields enum$/],
  ['?agent=a&agent=b', /^query agent string_type$/],
  ['?error=a&error=b', /^query error string_type$/],
  ['?created_after=yesterday', /^query created_after value_error$/],
  ['?created_after=', /^query created_after value_error$/],
  ['?created_before=-1', /^query created_before value_error$/],
  ['?created_before=2026-13-45', /^query created_before value_error$/],
  ['?session_id=a&session_id=b', /^query session_id string_type$/],
  ['?user_id=a&user_id=b', /^query user_id string_type$/],
]
t.test('what is no valid query is refused with its place', async t => {
  for (const [query, problem] of refused) {
    const { status, body } = await list(query)
    t.equal(status, 422, query)
    t.same(Object.keys(body), ['detail'])
    t.match(brief(body.detail), [problem], query)
  }
  const both = await list(`?starting_after=${known[0]?.id}&ending_before=${known[1]?.id}`)
  t.equal(both.status, 422)
  t.match(brief(both.body.detail), [/^query starting_after /, /^query ending_before /])
  const all = await list('?limit=x&status=y&order=z')
  t.equal(all.body.detail.length, 3, 'all at once')
})

t.test('what is valid passes', async t => {
  for (const query of ['?', '?limit=1', '?limit=100', '?unknown=1', '?status=input-required', '?limit=%35']) {
    t.equal((await list(query)).status, 200, query)
  }
  t.same(idsOf(await list('?session_id=')), [])
  t.same(idsOf(await list('?user_id=%00')), [])
  t.same(idsOf(await list(`?session_id=${encodeURIComponent("' OR 1=1 --")}`)), [])
  t.match((await list('?session_id=nothing')).body, { jsonrpc: '2.0', result: [] })
})

t.test('no Link where nothing follows', async t => {
  t.equal((await list('?limit=100')).headers.get('link'), null)
  await pause(0)
})

type Summary = Record<'question' | 'started_at' | 'ended_at' | 'duration_ms', unknown> & TaskJson
t.test('fields=summary leaves the output out and says what was asked, when, and for how long', async t => {
  const question = ['a'.repeat(150), { type: 'text', text: `${'🙂'.repeat(60)}` }]
  const script = [{ message: 'long' }, { sleep_ms: 30 }]
  const body = { user_message_content: question, stream: false, session_id: 'summed' }
  const whole = await read(api('POST', '/tasks', { ...body, agent_config: { agent_id: 'script', script } }))
  const asleep = { agent_id: 'script', script: [{ sleep_ms: 600_000 }] }
  for (let n = 0; n < 2; n++) {
    await read(
      api('POST', '/tasks', {
        ...body,
        background: true,
        agent_config: asleep,
        metadata: { big: 'x'.repeat(400_000) },
      }),
    )
  }
  const answer = await list('?session_id=summed&fields=summary')
  const [queued, working, done] = answer.body.result as unknown as [Summary, Summary, Summary]
  const { output, ...fields } = whole.body.result
  t.ok(output.length > 0)
  const { question: asked, started_at, ended_at, duration_ms, ...rest } = done
  t.same(rest, fields, 'everything but the output')
  t.equal(asked, `${'a'.repeat(150)} ${'🙂'.repeat(49)}`, '200 whole characters')
  t.ok(Number(duration_ms) >= 30 && Number(duration_ms) < 30_000)
  t.ok(Number(started_at) >= done.created_at && Number(ended_at) >= Number(started_at))
  t.same([working.status, queued.status], ['working', 'queued'])
  t.type(working.started_at, 'number')
  for (const task of [working, queued])
    t.notOk('ended_at' in task || 'duration_ms' in task || 'output' in task)
  t.notOk('started_at' in queued)
  const pages = await list('?session_id=summed&fields=summary&limit=2')
  t.match(pages.headers.get('link'), /fields=summary.*rel="next"/, 'and it is paged like any list')
})

t.test('counts are of the caller’s own tasks, with subtasks where they are asked for', async t => {
  const made = await read(api('POST', '/auth/tokens', { role: 'user', user_id: 'counted' }))
  const { token } = made.body as unknown as { token: string }
  const own = apiAs(url, token)
  const counts = async (query = '') => (await read(own('GET', `/tasks?fields=counts${query}`))).body.result
  t.same(await counts(), { total: 0, by_status: {}, by_agent: {} })
  const agent_config = { agent_id: 'script', script: [{ subagent: 'echo', input: 'x' }] }
  await read(own('POST', '/tasks', { user_message_content: 'x', stream: false, agent_config }))
  t.same(await counts(), { total: 1, by_status: { completed: 1 }, by_agent: { script: { completed: 1 } } })
  t.same(await counts('&include_subtasks=true'), {
    total: 2,
    by_status: { completed: 2 },
    by_agent: { echo: { completed: 1 }, script: { completed: 1 } },
  })
  t.same(await counts('&limit=1&order=asc'), await counts(), 'whatever the page would be')
  t.match(await counts('&user_id=ann'), { total: 0 })
})
