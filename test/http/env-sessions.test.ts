// Environment sessions over HTTP: records, lists, deletion, the cleaning up of those that nobody uses, and whose they are.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { read, until } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { counter, type EnvCalls, envCalls, kept, modules } from './env-calls.ts'

// The server's clock, which a test may put forward.
const realNow = Date.now
let ahead = 0
Date.now = () => realNow() + ahead
t.teardown(() => {
  Date.now = realNow
})
const secondsPass = (seconds: number) => {
  ahead += seconds * 1000
}

const server = await serveHere(t, { ENV_PATH: modules, TASK_TTL_WORKING: '0' })
const { api, url, dataDir } = server
const env = envCalls(api)
const { create, made, step, add, reset, observe, close, record, remove, call } = env
const tokenAs = async (body: object) =>
  ((await read(api('POST', '/auth/tokens', body))).body as unknown as { token: string }).token
const as = async (body: object) => envCalls(apiOf(url, await tokenAs(body)))
const ann = await as({ role: 'user', user_id: 'ann' })
const bob = await as({ role: 'user', user_id: 'bob' })
const anyone = await as({ role: 'user' })
const auditor = await as({ role: 'auditor' })
const annsAuditor = await as({ role: 'auditor', user_id: 'ann' })
const bobsAuditor = await as({ role: 'auditor', user_id: 'bob' })
const subscriber = await as({ role: 'subscriber' })
const annsSubscriber = await as({ role: 'subscriber', user_id: 'ann' })
const stranger = envCalls(apiOf(url, 'no-such-token'))

// Each session is a process: none is needed longer than its test.
t.afterEach(() => env.call('POST', '/env/sessions/cleanup?inactive_seconds=0'))

const nowSeconds = () => Math.floor(Date.now() / 1000)
const idsOf = ({ body }: { body: { sessions: { session_id: string }[] } }) =>
  body.sessions.map(({ session_id }) => session_id)
const cleanup = (query = '', who: EnvCalls = env) => who.call('POST', `/env/sessions/cleanup${query}`)
const cleaned = async (query = '', who: EnvCalls = env): Promise<string[]> => {
  const { status, body, text } = await cleanup(query, who)
  if (status !== 200) throw new Error(`${status} ${text}`)
  const { cleaned_count, cleaned_sessions } = body as unknown as {
    cleaned_count: number
    cleaned_sessions: string[]
  }
  if (cleaned_count !== cleaned_sessions.length) throw new Error(text)
  return cleaned_sessions
}
t.test('a step that names another user than that of its session is refused', async t => {
  const id = await made({ user_id: 'ann' })
  for (const user_id of ['ann', null])
    t.equal((await ann.step(id, 'add', { by: 1 }, { user_id })).status, 200, `${user_id}`)
  t.match(await ann.step(id, 'add', { by: 1 }, { user_id: 'bob' }), { status: 403, body: { code: -32031 } })
  t.equal((await bob.step(id, 'add', { by: 1 }, { user_id: 'bob' })).status, 404, 'bob does not learn of it')
  t.equal((await step(id, 'add', { by: 1 }, { user_id: 'bob' })).status, 409)
  t.equal((await step(id, 'add', { by: 1 }, { user_id: 'ann', stream: true })).status, 200)
  t.equal((await observe(id)).body.state.total, 3)
})

t.test('a record says whose it is and what it is, with times in whole seconds', async t => {
  const before = nowSeconds()
  const id = await made({ user_id: 'ann', client_id: 'me', env_id: 'e', env_vars: { KEY: 'value' } })
  const { status, body } = await record(id)
  t.equal(status, 200)
  t.same(body, {
    session_id: id,
    user_id: 'ann',
    client_id: 'me',
    env_id: 'e',
    env_vars: { KEY: '***' },
    is_active: true,
    created_at: body.created_at,
    last_accessed_at: body.last_accessed_at,
    kind: counter,
  })
  for (const time of [body.created_at, body.last_accessed_at]) {
    t.ok(Number.isInteger(time) && time >= before && time <= nowSeconds(), 'seconds')
  }
  await close(id)
  t.same((await record(id)).body, { ...body, is_active: false, close_reason: 'closed' })
})

t.test('create, step, reset and observation are access; a look at the record is none', async t => {
  const id = await made()
  const accessed = async () => (await record(id)).body.last_accessed_at
  const first = await accessed()
  let before = first
  for (const use of [() => add(id, 1), () => reset(id), () => observe(id)]) {
    secondsPass(100)
    await use()
    const at = await accessed()
    t.ok(at >= before + 100, 'it is told')
    before = at
    t.equal(await accessed(), at)
  }
  t.equal((await record(id)).body.created_at, first, 'and its birthday stays')
})

t.test(
  'a create of a session whose episode is over says so, and a repeated create gets its first answer',
  async t => {
    const body = { session_id: 'over', env_class_path: counter, env_init_kwargs: { end: 3 } }
    const key = { 'idempotency-key': 'of the session that is over' }
    const first = await create(body, key)
    t.match(first.body, { initial_state: { total: 0 }, done: false })
    t.equal((await add('over', 3)).body.done, true)
    const found = await create(body)
    t.match(found, { status: 200, body: { initial_state: { total: 0 }, done: true } })
    t.same(found.body.tools, (await observe('over')).body.tools)
    t.same((await create(body, key)).body, first.body)
    await reset('over')
    t.match((await create(body)).body, { initial_state: { total: 0 }, done: false })
  },
)

t.test('what is deleted is gone, whether it was closed before or not', async t => {
  for (const closed of [false, true]) {
    const id = await made({ env_vars: { KEY: 'value' } })
    if (closed) await close(id)
    const { status, body } = await remove(id)
    t.equal(status, 200)
    t.match(body, { status: 'deleted', session_id: id, message: /./ })
    t.same(Object.keys(body).sort(), ['message', 'session_id', 'status'])
    for (const answer of [
      await remove(id),
      await record(id),
      await add(id, 1),
      await reset(id),
      await observe(id),
      await close(id),
      await call('GET', `/env/session/${id}/machine`),
    ]) {
      t.equal(answer.status, 404)
      t.match(answer.body, { code: -32025, detail: /./ })
    }
    t.notOk(idsOf((await call('GET', '/env/sessions')) as never).includes(id))
    const folders = path.join(dataDir, 'environments/default')
    await until(() => !existsSync(folders) || !readdirSync(folders).some(name => name.includes(id)))
  }
})

t.test(
  'the id of a deleted session may be used again, for a session that knows nothing of the first',
  async t => {
    const id = 'used-again'
    const again = { 'idempotency-key': 'first' }
    await create({ session_id: id, env_class_path: counter, client_id: 'one' }, again)
    await step(id, 'add', { by: 5 }, {}, { 'idempotency-key': 'k' })
    const other = await made()
    await remove(id)
    const late = await create({ session_id: id, env_class_path: counter, client_id: 'one' }, again)
    t.equal(late.status, 409, 'the create of the deleted one, asked again, makes none')
    t.match(late.body, { code: -32023, data: { idempotency_key: 'first' } })

    const { status, body } = await create({ session_id: id, env_class_path: kept, client_id: 'two' })
    t.equal(status, 200)
    t.match(body, { session_id: id, initial_state: { total: 0 } })
    t.match((await record(id)).body, { is_active: true, client_id: 'two', close_reason: undefined })
    const answer = await step(id, 'add', { by: 1 }, {}, { 'idempotency-key': 'k' })
    t.match(answer.body, { step: 1, state: { total: 1 } }, 'steps begin at 1, and keys are new')
    t.equal((await create({ session_id: id, env_class_path: counter, client_id: 'one' }, again)).status, 409)
    const listed = idsOf((await call('GET', '/env/sessions')) as never)
    t.ok(listed.indexOf(id) > listed.indexOf(other), 'it is listed where it was created again')
    t.match((await call('GET', `/env/session/${id}/machine`)).body, { state: 'active' })
  },
)

t.test('all sessions are listed, or those of a user, in order of creation, closed ones too', async t => {
  const mine: string[] = []
  for (const user_id of ['lou', 'mia', 'lou']) mine.push(await made({ user_id }))
  await close(mine[0] as string)
  const all = await call('GET', '/env/sessions')
  t.equal(all.status, 200)
  t.equal(all.body.total, all.body.sessions.length)
  t.same(
    idsOf(all as never).filter(id => mine.includes(id)),
    mine,
  )
  const lous = await call('GET', '/env/sessions?user_id=lou')
  t.same(idsOf(lous as never), [mine[0], mine[2]])
  t.equal(lous.body.total, 2)
  t.same(lous.body.sessions[0], (await record(mine[0] as string)).body, 'each is its record')
  t.same((await call('GET', '/env/sessions?user_id=nobody')).body, { sessions: [], total: 0 })
  t.equal((await call('GET', '/env/sessions?user_id=a&user_id=b')).status, 422)
})

t.test('with a limit they come in pages, newest first, and the server searches', async t => {
  const mine: string[] = []
  for (let n = 0; n < 5; n++) mine.unshift(await made({ user_id: 'Paged', session_id: `paged-${n}` }))
  await close(mine[1] as string)
  const page = async (query: string) => {
    const { body } = await call('GET', `/env/sessions?user_id=Paged&${query}`)
    t.equal(body.total, body.sessions.length)
    return { ids: idsOf({ body } as never), more: (body as { has_more?: boolean }).has_more }
  }
  t.same(await page('limit=2'), { ids: mine.slice(0, 2), more: true })
  t.same(await page(`limit=3&starting_after=${mine[1]}`), { ids: mine.slice(2), more: false })
  t.same(await page('limit=9&state=active'), { ids: mine.filter((_, n) => n !== 1), more: false })
  t.same(await page('limit=9&search=PAGED-3'), { ids: ['paged-3'], more: false })
  t.same(await page('limit=1&search=paged'), { ids: mine.slice(0, 1), more: true })
  t.same(await page('limit=9&search=nowhere'), { ids: [], more: false })
  t.ok(idsOf((await call('GET', '/env/sessions?limit=9&search=paged')) as never).length >= 5)
  t.equal((await call('DELETE', `/env/session/${mine[2]}`)).status, 200)
  t.same(
    await page(`limit=9&starting_after=${mine[2]}`),
    { ids: mine.slice(3), more: false },
    'a deleted session is still a cursor',
  )
  for (const query of ['limit=0', 'limit=1001', 'limit=1&starting_after=nothing', 'limit=1&state=closed'])
    t.equal((await call('GET', `/env/sessions?${query}`)).status, 422, query)
})

t.test('the machine says where a session is and what may follow', async t => {
  const id = await made()
  const machine = async () =>
    (await call('GET', `/env/session/${id}/machine`)).body as unknown as {
      state: string
      value: string
      next_events: string[]
      machine: object
    }
  const active = await machine()
  t.equal(active.state, 'active')
  t.equal(active.value, 'active')
  t.same(active.next_events.toSorted(), [
    'EnvSessionClosed',
    'EnvSessionReset',
    'EnvStepCompleted',
    'EnvStepIntended',
  ])
  t.match(active.machine, { initial: 'absent', states: { active: {}, closed: {}, deleted: {} } })
  await close(id)
  const closed = await machine()
  t.equal(closed.state, 'closed')
  t.same(closed.next_events.toSorted(), ['EnvSessionCreated', 'EnvSessionDeleted'])
})

t.test('cleaning up closes what nobody has used for so long, and nothing else', async t => {
  await cleaned('?inactive_seconds=0')
  const [old, stepped, looked, fresh] = [await made(), await made(), await made(), await made()]
  const closed = await made()
  await close(closed)
  t.same(await cleaned(), [], 'an hour, if nothing is said')
  t.same(await cleaned('?inactive_seconds=100'), [])
  secondsPass(200)
  await add(stepped, 1)
  await observe(looked)
  await reset(fresh)
  t.same(await cleaned('?inactive_seconds=300'), [])
  t.same(await cleaned('?inactive_seconds=100'), [old])
  t.match((await record(old)).body, { is_active: false, close_reason: 'inactive' })
  t.equal((await add(old, 1)).status, 404)
  for (const id of [stepped, looked, fresh]) t.equal((await record(id)).body.is_active, true)
  secondsPass(3900)
  t.same((await cleaned()).sort(), [stepped, looked, fresh].sort(), 'an hour later these are old, too')
  t.match((await cleanup()).body, { status: 'ok', cleaned_count: 0, cleaned_sessions: [] })
  for (const query of ['-1', 'x', '1.5', '', '1e3']) {
    const { status, body } = await cleanup(`?inactive_seconds=${query}`)
    t.equal(status, 422, query)
    t.same(body.detail[0]?.loc, ['query', 'inactive_seconds'])
  }
})

t.test('a session with a running step is not cleaned up', async t => {
  const id = await made()
  const file = path.join(t.testdir(), 'go')
  const holding = step(id, 'hold', { file })
  await until(() => existsSync(`${file}.begun`))
  secondsPass(5000)
  t.notOk((await cleaned('?inactive_seconds=0')).includes(id))
  writeFileSync(file, '')
  t.equal((await holding).status, 200)
  secondsPass(5000)
  t.ok((await cleaned('?inactive_seconds=0')).includes(id))
})

t.test('a session that a task names is not cleaned up until the task has ended', async t => {
  const session_id = await made({ user_id: 'ann' })
  const others = await made({ user_id: 'bob' })
  const task = {
    session_id,
    user_id: 'ann',
    user_message_content: 'x',
    stream: false,
    background: true,
    agent_config: { agent_id: 'script', script: [{ sleep_ms: 600_000 }] },
  }
  const { id } = (await read(api('POST', '/tasks', task))).body.result
  // A task of another user that has the same name for its session names another one.
  const foreign = { ...task, session_id: others }
  const { id: foreignId } = (await read(api('POST', '/tasks', foreign))).body.result
  secondsPass(5000)
  const gone = await cleaned()
  t.notOk(gone.includes(session_id))
  t.ok(gone.includes(others))
  await read(api('POST', `/tasks/${id}/cancel`))
  await read(api('POST', `/tasks/${foreignId}/cancel`))
  secondsPass(5000)
  t.ok((await cleaned()).includes(session_id))
})

t.test('who speaks for one user cleans up after that user only', async t => {
  const [anns, bobs] = [await ann.made(), await bob.made()]
  secondsPass(5000)
  t.same(await cleaned('', bob), [bobs])
  t.equal((await record(anns)).body.is_active, true)
})

/** Every operation, on a session. */
const operations: [string, (who: EnvCalls, id: string) => ReturnType<EnvCalls['call']>][] = [
  ['step', (who, id) => who.add(id, 1)],
  ['streamed step', (who, id) => who.step(id, 'add', { by: 1 }, { stream: true })],
  ['step of an unknown tool', (who, id) => who.step(id, 'nobody')],
  ['reset', (who, id) => who.reset(id)],
  ['observation', (who, id) => who.observe(id)],
  ['close', (who, id) => who.close(id)],
  ['record', (who, id) => who.record(id)],
  ['machine', (who, id) => who.call('GET', `/env/session/${id}/machine`)],
  ['delete', (who, id) => who.remove(id)],
]

t.test("another user's session answers as one that does not exist, on each operation", async t => {
  const id = await ann.made({ env_vars: { KEY: 'v' } })
  await ann.add(id, 1)
  for (const [what, ask] of operations) {
    const [foreign, unknown] = [await ask(bob, id), await ask(bob, 'nothing')]
    t.equal(foreign.status, 404, what)
    t.equal(foreign.text, unknown.text, 'not a word of difference')
  }
  for (const [what, ask] of operations.slice(-3, -1)) {
    t.equal((await ask(bobsAuditor, id)).status, 404, `an auditor of another user: ${what}`)
  }
  for (const who of [bob, bobsAuditor]) {
    t.notOk(idsOf((await who.call('GET', '/env/sessions')) as never).includes(id))
    t.same((await who.call('GET', '/env/sessions?user_id=ann')).body, { sessions: [], total: 0 })
  }
  t.match((await ann.observe(id)).body.state, { total: 1 }, 'and it is as it was')
})

t.test("a create with another user's session_id is 404, whatever became of the session", async t => {
  const id = await ann.made({ session_id: 'taken' })
  const tries = async (what: string) => {
    for (const env_class_path of [counter, 'gridworld']) {
      const { status, body, text } = await bob.create({ session_id: id, env_class_path })
      t.equal(status, 404, what)
      t.equal(body.code, -32025)
      t.notMatch(text, /ann/)
    }
  }
  await tries('active')
  await ann.close(id)
  await tries('closed')
  await ann.remove(id)
  await tries('deleted')
})

t.test('of two users who create one session_id at once, one gets it and the other hears of none', async t => {
  for (let n = 0; n < 3; n++) {
    const body = { session_id: `race-${n}`, env_class_path: counter }
    const answers = await Promise.all([ann.create(body), bob.create(body)])
    t.same(answers.map(({ status }) => status).sort(), [200, 404])
  }
})

t.test('the user of a session is the user of the token', async t => {
  t.match((await ann.record(await ann.made())).body, { user_id: 'ann' })
  t.match((await ann.record(await ann.made({ user_id: 'ann' }))).body, { user_id: 'ann' })
  t.match((await anyone.record(await anyone.made({ user_id: 'who' }))).body, { user_id: 'who' })
  t.match((await anyone.record(await anyone.made())).body, { user_id: 'default' })
  const { status, body } = await ann.create({ user_id: 'bob', env_class_path: counter })
  t.equal(status, 403)
  t.equal(body.code, -32031)
})

t.test('an admin of all users sees and uses every session', async t => {
  const id = await ann.made()
  for (const [what, ask] of operations) {
    const expected = what === 'step of an unknown tool' ? 422 : ['streamed step'].includes(what) ? 200 : 200
    if (what === 'close' || what === 'delete') continue
    t.equal((await ask(env, id)).status, expected, what)
  }
  t.same(idsOf((await ann.call('GET', '/env/sessions?user_id=ann')) as never).includes(id), true)
  t.equal((await close(id)).status, 200)
  t.equal((await remove(id)).status, 200)
})

t.test('an admin who creates a session that is there gets it back, whoever’s it is', async t => {
  const body = { session_id: 'anns-own', env_class_path: counter }
  const first = await ann.create(body)
  await ann.add('anns-own', 2)
  const same = await create(body)
  t.equal(same.status, 200)
  t.same(same.body, first.body)
  t.equal((await create({ ...body, user_id: 'ann' })).status, 200)
  for (const other of [
    { user_id: 'bob' },
    { env_class_path: 'gridworld' },
    { env_init_kwargs: { start: 1 } },
  ]) {
    const { status, body: no } = await create({ ...body, ...other })
    t.equal(status, 409, JSON.stringify(other))
    t.equal(no.code, -32023)
  }
  t.match((await record('anns-own')).body, { user_id: 'ann', is_active: true })
  for (const end of [close, remove]) {
    await end('anns-own')
    t.equal((await create({ ...body, user_id: 'bob' })).status, 409, 'it stays hers')
    t.equal((await create(body)).status, 200)
    t.match((await record('anns-own')).body, { user_id: 'ann', is_active: true })
  }
})

t.test(
  'an auditor reads everything and does nothing; a subscriber does neither; a stranger is unknown',
  async t => {
    const id = await ann.made()
    const everything: [string, (who: EnvCalls) => ReturnType<EnvCalls['call']>, 'read' | 'write'][] = [
      ['list of environments', who => who.call('GET', '/env'), 'read'],
      ['an environment', who => who.call('GET', '/env/gridworld'), 'read'],
      ['list of sessions', who => who.call('GET', '/env/sessions'), 'read'],
      ['create', who => who.create({ session_id: 'forbidden', env_class_path: counter }), 'write'],
      ['cleanup', who => cleanup('?inactive_seconds=0', who), 'write'],
      ...operations.map(
        ([what, ask]): [string, (who: EnvCalls) => ReturnType<EnvCalls['call']>, 'read' | 'write'] => [
          what,
          who => ask(who, id),
          what === 'record' || what === 'machine' ? 'read' : 'write',
        ],
      ),
    ]
    for (const [what, ask, access] of everything) {
      for (const who of [auditor, annsAuditor]) {
        t.equal((await ask(who)).status, access === 'read' ? 200 : 403, `auditor: ${what}`)
      }
      for (const who of [subscriber, annsSubscriber])
        t.equal((await ask(who)).status, 403, `subscriber: ${what}`)
      const unknown = await ask(stranger)
      t.equal(unknown.status, 401, `stranger: ${what}`)
      t.equal(unknown.body.code, -32030)
    }
    t.equal((await record('forbidden')).status, 404)
    t.match((await ann.observe(id)).body, { state: { total: 0 } })
    t.match((await record(id)).body, { is_active: true })
  },
)

t.test('a method that a route has not is 405, and what is no body is 415 or 422', async t => {
  for (const [method, where] of [
    ['POST', '/env/sessions'],
    ['PUT', '/env/session/x'],
    ['GET', '/env/step'],
    ['DELETE', '/env/create'],
  ] as const) {
    t.ok([404, 405].includes((await call(method, where)).status), `${method} ${where}`)
  }
  const plain = await call('POST', '/env/close', 'session_id=x', { 'content-type': 'text/plain' })
  t.equal(plain.status, 415)
  t.equal(plain.body.code, -32600)
})

t.test('nothing of all that was a fault of ours', t => {
  t.same(
    server.lines.filter(({ level }) => level === 'error'),
    [],
  )
  t.end()
})
