// The life of an environment's instance over HTTP: create, step, reset, observe, close; and which there are.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { brief, until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { type Frame, follow } from '../support/sse.ts'
import { counter, envCalls, gone, kept, modules } from './env-calls.ts'

const server = await serveHere(t, { ENV_PATH: modules, LOG_LEVEL: 'debug' })
const { api, dataDir } = server
const env = envCalls(api)
const { create, made, step, add, reset, observe, close, record, remove, call } = env

// Each session is a process: none is needed longer than its test.
t.afterEach(() => call('POST', '/env/sessions/cleanup?inactive_seconds=0'))

/** Opens a step as a stream. */
const streamed = (body: object, headers: Record<string, string> = {}) =>
  follow(api('POST', '/env/step', { stream: true, ...body }, headers))
const add2 = (session_id: string) => ({ session_id, tool_name: 'add', tool_args: { by: 2 } })
const bodies = (frames: Frame[]) => frames.map(frame => frame as unknown as Record<string, unknown>)
/** A step that lasts until `release`; resolves when it has begun. */
const holding = async (t: Test, session_id: string, headers: Record<string, string> = {}) => {
  const file = path.join(t.testdir(), 'go')
  const answer = step(session_id, 'hold', { file }, {}, headers)
  await until(() => existsSync(`${file}.begun`))
  return { answer, file, release: () => writeFileSync(file, '') }
}

t.test('a create without a word makes ids, and the environment by default', async t => {
  const { status, body } = await create()
  t.equal(status, 200)
  t.match(body, { session_id: /^session-[0-9a-f]+$/, env_id: /^env-[0-9a-f]+$/, done: false })
  t.same(Object.keys(body).sort(), ['done', 'env_id', 'initial_state', 'session_id', 'tools'])
  t.same(
    body.tools.map(tool => tool.function.name),
    ['move', 'pick_up', 'look'],
    'it is the grid world',
  )
  t.match((await record(body.session_id)).body, { user_id: 'default', client_id: 'default', is_active: true })
  t.same(
    (await observe(body.session_id)).body.state,
    body.initial_state,
    'the initial state is what is observed',
  )
})

t.test('what is given is what is kept', async t => {
  const given = { session_id: 'mine', env_id: 'my env', user_id: 'ann', client_id: 'me' }
  const { body } = await create({ ...given, env_class_path: counter, env_init_kwargs: { start: 5 } })
  t.match(body, { session_id: 'mine', env_id: 'my env', initial_state: { total: 5 } })
  t.match((await record('mine')).body, given)
  t.match(
    (await create({ env_id: 'sql' })).body.tools,
    [{ function: { name: 'query' } }],
    'an id that is a name',
  )
})

t.test('the same session_id again is the same session while it is active', async t => {
  const body = { session_id: 'again', env_class_path: counter, env_init_kwargs: { start: 1, color: 'red' } }
  const first = await create(body)
  await add('again', 2)
  const second = await create(body)
  t.equal(second.status, 200)
  t.same(second.body, first.body)
  t.match((await observe('again')).body.state, { total: 3 }, 'and nothing was begun anew')
  const turned = await create({ ...body, env_init_kwargs: { color: 'red', start: 1 } })
  t.equal(turned.status, 200, 'in whatever order its arguments are given')
  for (const other of [
    { env_init_kwargs: { start: 2 } },
    { env_class_path: kept },
    { env_init_kwargs: null },
  ]) {
    const { status, headers, body: no } = await create({ ...body, ...other })
    t.equal(status, 409, JSON.stringify(other))
    t.equal(no.code, -32023)
    t.equal(headers.get('x-should-retry'), 'false')
  }
})

t.test('two creates of one session_id at once are one session', async t => {
  const body = { session_id: 'at-once', env_class_path: counter }
  const answers = await Promise.all([create(body), create(body), create(body)])
  t.same(
    answers.map(answer => answer.status),
    [200, 200, 200],
  )
  t.equal(
    new Set(answers.map(({ body: { initial_state, env_id } }) => `${initial_state.seed} ${env_id}`)).size,
    1,
  )
})

t.test('a closed session goes on with a new instance, and its steps count on', async t => {
  const id = await made({ session_id: 'goes-on', env_init_kwargs: { start: 10 } })
  await add(id, 1)
  await add(id, 1)
  await close(id)
  const { status, body } = await create({
    session_id: id,
    env_class_path: kept,
    env_init_kwargs: { start: 20 },
  })
  t.equal(status, 200, 'whatever environment it has from now on')
  t.match(body.initial_state, { total: 20 })
  t.match((await record(id)).body, { is_active: true, close_reason: undefined })
  t.match((await add(id, 1)).body, { step: 3, observation: { total: 21 } })
})

t.test('an Idempotency-Key makes one session of two creates', async t => {
  const key = { 'idempotency-key': 'create-once' }
  const body = { env_class_path: counter }
  const first = await create(body, key)
  const second = await create(body, key)
  t.equal(second.status, 200)
  t.same(second.body, first.body)
  t.equal((await create({ ...body, client_id: 'other' }, key)).status, 409, 'for another body it is taken')
})

t.test('what was done before says so in a header, and nothing else does', async t => {
  const told = ({ headers }: { headers: globalThis.Headers }) => headers.get('idempotency-replayed')
  const key = { 'idempotency-key': 'told' }
  const body = { session_id: 'told', env_class_path: gone }
  t.equal(told(await create(body, key)), null)
  t.equal(told(await create(body, key)), 'true', 'a create with its key')
  t.equal(told(await create(body)), 'true', 'or of a session that is there')
  t.equal(told(await add('told', 1, key)), null)
  t.equal(told(await add('told', 1, key)), 'true', 'a step with its key')
  t.equal(told(await add('told', 1)), null)
  const [one, other] = await Promise.all([0, 1].map(() => add('told', 1, { 'idempotency-key': 'at once' })))
  t.same([one, other].map(answer => answer && told(answer)).sort(), [null, 'true'], 'one of two at once')

  const say = { session_id: 'told', tool_name: 'say', tool_args: { words: 'so' } }
  for (const expected of [null, 'true']) {
    const stream = await streamed(say, { 'idempotency-key': 'streamed once' })
    await stream.rest()
    t.equal(stream.response.headers.get('idempotency-replayed'), expected)
  }
})

t.test('a create that comes again after the session was closed is answered, and opens nothing', async t => {
  for (const named of [{}, { session_id: 'closed-since' }]) {
    const body = { env_class_path: counter, env_init_kwargs: { start: 5 }, ...named }
    const key = { 'idempotency-key': `late ${JSON.stringify(named)}` }
    const first = await create(body, key)
    const { session_id: id } = first.body
    await add(id, 1)
    t.equal((await create(body, key)).text, first.text, 'while it is active')
    await close(id)
    const late = await create(body, key)
    t.equal(late.status, 200)
    t.equal(late.text, first.text)
    t.match((await record(id)).body, { is_active: false, close_reason: 'closed' })
    t.equal((await create({ ...body, client_id: 'other' }, key)).status, 409)

    const opened = await create({ ...body, session_id: id, env_init_kwargs: { start: 7 } })
    t.match(opened.body, { session_id: id, initial_state: { total: 7 } }, 'without the key it goes on')
    const later = await create(body, key)
    t.equal(later.text, first.text, 'and the first create is still answered as it was')
    t.match((await add(id, 1)).body, { step: 2, state: { total: 8 } })
    await remove(id)
    t.equal((await create(body, key)).status, 409, 'a deleted one is not')
  }
})

t.test('an environment that is not there is 404, and one that leads outside 403', async t => {
  for (const env_class_path of ['nowhere', 'counter.mjs#Nobody', 'nowhere.mjs#Counter', 'sub/nowhere']) {
    const { status, body } = await create({ env_class_path })
    t.equal(status, 404, env_class_path)
    t.match(body, { code: -32024, detail: /./ })
  }
  for (const env_class_path of ['../../http/env-calls.ts', '/etc/passwd', '../modules-not/x.mjs']) {
    const { status, body } = await create({ env_class_path })
    t.equal(status, 403, env_class_path)
    t.equal(body.code, -32031)
  }
  const broken = await create({ env_class_path: 'broken.mjs' })
  t.equal(broken.status, 404)
  t.match(broken.body.message, /this module is broken/)
  t.notOk(broken.text.includes(modules), "the operator's folder is not told")
})

t.test('an env_id that names no kind is 404 with the kinds, and the record says which kind runs', async t => {
  const cases: [object, RegExp, string[]][] = [
    [
      { env_id: 'gridwrld' },
      /gridwrld.* counter\.mjs.* gridworld.* mcp/,
      ['gridworld', 'mcp', 'counter.mjs'],
    ],
    [{ env_class_path: 'gridwrld', env_id: 'gridworld' }, /gridwrld/, ['gridworld']],
    [{ env_id: 'counter.mjs#Nobody' }, /Nobody.* counter\.mjs#Counter/, [counter, kept, gone]],
  ]
  for (const [body, message, kinds] of cases) {
    const { status, body: no } = await create({ session_id: 'typo', ...body })
    t.equal(status, 404, JSON.stringify(body))
    t.match(no, { code: -32024, message, detail: message })
    for (const kind of kinds) t.ok((no.data as { kinds: string[] }).kinds.includes(kind), kind)
  }
  t.equal((await record('typo')).status, 404)
  const kindOf = async (body: object) => (await record(await made(body))).body.kind
  t.equal(await kindOf({ env_class_path: counter, env_id: 'my label' }), counter)
  t.equal(await kindOf({ env_class_path: null, env_id: 'chess' }), 'chess')
  t.equal(
    await kindOf({ env_class_path: null, env_id: 'counter.mjs' }),
    counter,
    'also where its class is not named',
  )
  t.equal(await kindOf({ env_class_path: null }), 'gridworld', 'also by default')
  const { body } = await call('GET', '/env/sessions')
  t.ok(body.sessions.every(({ kind }) => typeof kind === 'string'))
})

t.test('any whole number that JSON holds exactly is a seed', async t => {
  for (const env_class_path of [counter, 'gridworld', 'chess', 'sql']) {
    const id = await made({ env_class_path })
    for (const seed of [-1, -(2 ** 53) + 1, 2 ** 53 - 1]) {
      const first = await reset(id, { seed })
      t.equal(first.status, 200, `${env_class_path} ${seed}`)
      t.same((await reset(id, { seed })).body, first.body, 'and gives the same again')
    }
  }
  const refused = await reset('x', { seed: 2 ** 53 })
  t.match(refused.body.detail[0]?.msg, /-9007199254740991 to 9007199254740991/)
})

t.test('arguments of an environment that do not fit are 422 where they are', async t => {
  const cases: [object, RegExp][] = [
    [{ start: 'x' }, /start/],
    [{ nobody: 1 }, /nobody/],
    [{ broken: 'in its constructor' }, /in its constructor/],
    [{ broken: 'in its reset' }, /in its reset/],
  ]
  for (const [env_init_kwargs, msg] of cases) {
    const session_id = 'never-made'
    const { status, body } = await create({ session_id, env_class_path: counter, env_init_kwargs })
    t.equal(status, 422)
    t.same(brief(body.detail), ['body env_init_kwargs value_error'])
    t.match(body.detail[0]?.msg, msg)
    t.equal((await record(session_id)).status, 404, 'and there is no session')
  }
  const both = await create({ env_class_path: counter, env_init_kwargs: { start: 'x', end: 'y' } })
  t.equal(both.body.detail.length, 2, 'all problems at once')
})

t.test('a create that is refused leaves nothing on the disk', async t => {
  const folder = path.join(dataDir, 'environments/default')
  for (const broken of ['in its constructor', 'in its reset']) {
    const body = { session_id: 'never', env_class_path: counter, env_init_kwargs: { broken } }
    t.equal((await create(body)).status, 422)
    t.notOk(existsSync(path.join(folder, 'never')), broken)
  }
})

t.test('a session_id may have 256 characters, of any kind', async t => {
  for (const session_id of ['x'.repeat(256), '!'.repeat(256), '...', 'a/../../b']) {
    const { status, text } = await create({ session_id, env_class_path: kept })
    t.equal(status, 200, text.slice(0, 300))
    t.match((await add(session_id, 1)).body, { step: 1, state: { total: 1 } })
    t.match((await call('GET', `/env/session/${encodeURIComponent(session_id)}`)).body, { session_id })
    await close(session_id)
  }
})

t.test('a body that is not valid is 422 with every problem', async t => {
  const cases: [string, object | string, string[]][] = [
    [
      '/env/create',
      { session_id: '', env_vars: [] },
      ['body session_id string_too_short', 'body env_vars dict_type'],
    ],
    ['/env/step', {}, ['body session_id missing', 'body tool_name missing']],
    [
      '/env/step',
      { session_id: 'x', tool_name: 'y', expected_step: 0 },
      ['body expected_step greater_than_equal'],
    ],
    ['/env/step', { session_id: 'x', tool_name: 'y', tool_args: 'z' }, ['body tool_args dict_type']],
    ['/env/step', { session_id: 'x', tool_name: 'y', stream: 'yes' }, ['body stream bool_type']],
    [
      '/env/reset',
      { session_id: 'x', seed: 1.5, options: 1 },
      ['body seed int_type', 'body options dict_type'],
    ],
    ['/env/reset', { session_id: 'x', seed: -(2 ** 53) }, ['body seed greater_than_equal']],
    ['/env/reset', { session_id: 'x', seed: 2 ** 53 }, ['body seed less_than_equal']],
    ['/env/observation', {}, ['body session_id missing']],
    ['/env/close', { session_id: 5 }, ['body session_id string_type']],
    ['/env/close', '{"session_id": ', ['body 15 json_invalid']],
  ]
  for (const [where, given, expected] of cases) {
    const { status, body } = await call('POST', where, given)
    t.equal(status, 422, where)
    // Which word of the standard ones is the business of another test.
    t.same(
      brief(body.detail).map(line => line.split(' ').slice(0, -1).join(' ')),
      expected.map(line => line.split(' ').slice(0, -1).join(' ')),
      `${where} ${JSON.stringify(given)}`,
    )
  }
})

const secret = 'open-sEcReT-0123456789-0123456789'
const filesWith = (text: string): string[] =>
  readdirSync(dataDir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => path.join(entry.parentPath, entry.name))
    .filter(file =>
      [text, Buffer.from(text).toString('base64').slice(0, 20)].some(form =>
        readFileSync(file).includes(form),
      ),
    )
    .map(file => path.basename(file))

t.test('the values of env_vars are in secrets.db and in the environment, and nowhere else', async t => {
  const env_vars = { PASSWORD: secret, NESTED: { deep: [secret] } }
  const answers = [await create({ session_id: 'secret', env_class_path: counter, env_vars })]
  t.match(
    answers[0]?.body.initial_state,
    { isOpen: true, known: ['PASSWORD', 'NESTED'] },
    'the environment has them',
  )
  answers.push(
    await create({ session_id: 'secret', env_class_path: counter, env_vars }),
    await create({ session_id: 'secret', env_class_path: kept, env_vars }),
    await create({ session_id: 'other', env_class_path: 'nowhere', env_vars }),
    await create({ session_id: 'other', env_class_path: counter, env_vars, env_init_kwargs: { start: '' } }),
    await step('secret', 'add', { by: 1 }, { env_vars: { LATER: secret } }),
    await observe('secret'),
    await record('secret'),
    await call('GET', '/env/sessions'),
    await call('GET', '/env/session/secret/machine'),
    await call('GET', '/audit/log?limit=1000'),
  )
  for (const { text } of answers) t.notMatch(text, 'sEcReT')
  t.same(answers[7]?.body, { ...answers[7]?.body, env_vars: { PASSWORD: '***', NESTED: '***' } })
  t.same(filesWith(secret), ['secrets.db'])
  t.notMatch(JSON.stringify(server.lines), 'sEcReT', 'what the operator reads holds none')
  await close('secret')
  await until(() => filesWith(secret).length === 0)
  t.pass('and when the session is closed they are gone')
})

t.test('env_vars of a step are no part of what is asked, and are not those of the session', async t => {
  const id = await made()
  const key = { 'idempotency-key': 'with-variables' }
  const first = await step(id, 'add', { by: 1 }, { env_vars: { PASSWORD: 'x', LATER: { deep: 1 } } }, key)
  t.match(first.body, { step: 1, state: { known: [], isOpen: true } })
  const again = await step(id, 'add', { by: 1 }, { env_vars: { PASSWORD: 'y' } }, key)
  t.equal(again.text, first.text, 'they are no part of what is asked')
  t.equal((await step(id, 'add', { by: 1 }, { env_vars: null })).status, 200)
  const { status, body } = await step(id, 'add', { by: 1 }, { env_vars: ['x'] })
  t.equal(status, 422)
  t.same(body.detail[0]?.loc, ['body', 'env_vars'])
})

t.test('a step answers with all that came of it', async t => {
  const id = await made({ env_init_kwargs: { start: 1 } })
  const { env_id } = (await record(id)).body
  const { status, body } = await add(id, 2)
  t.equal(status, 200)
  const seen = { total: 3, drawn: [], at: [], seed: body.state.seed }
  t.same(
    { ...body, tools: body.tools.length },
    {
      session_id: id,
      env_id,
      step: 1,
      tool_result: {
        type: 'tool_result',
        id: body.tool_result.id,
        status: 'completed',
        call_id: body.tool_result.call_id,
        message_content: 'it is 3 now',
        block_list: [],
      },
      observation: seen,
      state: { ...seen, known: [], isOpen: true },
      reward: 0.25,
      terminated: false,
      truncated: false,
      done: false,
      info: {},
      tools: 8,
    },
  )
  t.match(body.tool_result, { id: /^tr_./, call_id: /^call_./ })
  t.equal((await add(id, 2)).body.step, 2, 'an equal move is another step')
  t.match((await observe(id)).body, { state: { total: 5 }, done: false })
})

t.test('a tool that fails inside is a step, with the error in its result', async t => {
  const id = await made()
  const { status, body } = await step(id, 'fail', { why: 'the door is shut' })
  t.equal(status, 200)
  t.match(body, {
    step: 1,
    tool_result: { status: 'incomplete', message_content: 'the door is shut' },
    info: { error: 'the door is shut' },
    done: false,
    truncated: false,
    state: { total: 100 },
  })
  t.match((await step(id, 'lie')).body, {
    step: 2,
    tool_result: { status: 'incomplete' },
    info: { error: /content/ },
  })
  t.match((await add(id, 1)).body, { step: 3, state: { total: 101 } }, 'and the session goes on')
})

t.test(
  'an environment that dies in a step answers it, and its session is closed with the reason',
  async t => {
    const id = await made()
    await add(id, 4)
    const { status, body } = await step(id, 'exit')
    t.equal(status, 200)
    t.match(body, {
      step: 2,
      tool_result: { status: 'incomplete' },
      truncated: true,
      done: true,
      info: { error: /exit code 7/ },
      state: { total: 4 },
    })
    t.match((await record(id)).body, { is_active: false, close_reason: /exit code 7/ })
    t.match((await add(id, 1)).body, { code: -32025, data: { reason: /exit code 7/ } })
    t.equal(
      (await create({ session_id: id, env_class_path: counter })).status,
      200,
      'it can be created again',
    )
    t.equal((await add(id, 1)).body.step, 3)
  },
)

t.test('an unknown tool and bad arguments are 422 where they are, and no step', async t => {
  const id = await made()
  const cases: [string, object, string][] = [
    ['nobody', {}, 'body tool_name value_error'],
    ['constructor', {}, 'body tool_name value_error'],
    ['add', {}, 'body tool_args value_error'],
    ['add', { by: '1' }, 'body tool_args value_error'],
    ['add', { by: 1, more: 1 }, 'body tool_args value_error'],
  ]
  for (const [name, args, expected] of cases) {
    for (const stream of [false, true]) {
      const { status, body } = await step(id, name, args, { stream })
      t.equal(status, 422, `${name} ${stream}`)
      t.same(brief(body.detail), [expected])
    }
  }
  t.equal((await add(id, 1)).body.step, 1)
})

t.test('after done a step is 400 until a reset', async t => {
  const id = await made()
  t.match((await step(id, 'end')).body, {
    terminated: true,
    done: true,
    reward: 0.5,
    info: { why: 'asked to' },
  })
  t.equal((await observe(id)).body.done, true)
  for (const [name, args, stream] of [
    ['add', { by: 1 }, false],
    ['nobody', {}, false],
    ['add', { by: 1 }, true],
  ] as const) {
    const { status, body } = await step(id, name, args, { stream })
    t.equal(status, 400, `${name} ${stream}`)
    t.equal(body.code, -32026)
  }
  t.match((await reset(id)).body, { done: false, observation: { total: 0 } })
  t.match((await add(id, 1)).body, { step: 2, done: false })
  const cut = await made({ env_init_kwargs: { end: 3 } })
  t.match((await add(cut, 3)).body, { truncated: true, terminated: false, done: true })
})

t.test('a closed session has no steps, and is closed again without a word', async t => {
  const id = await made()
  await add(id, 1)
  const first = await close(id)
  t.equal(first.status, 200)
  t.match(first.body, { status: 'closed', message: /./ })
  t.same((await close(id)).body, first.body)
  const { body } = await record(id)
  t.match(body, { is_active: false, close_reason: 'closed' })
  for (const answer of [
    await add(id, 1),
    await step(id, 'add', { by: 1 }, { stream: true }),
    await reset(id),
    await observe(id),
  ]) {
    t.equal(answer.status, 404)
    t.match(answer.body, { code: -32025, detail: /./ })
  }
})

t.test('close, delete and reset stop the step that runs, and those that wait behind it', async t => {
  for (const env_class_path of [counter, kept, gone]) {
    for (const [how, end] of Object.entries({ closed: close, deleted: remove, reset })) {
      const what = `${env_class_path} is ${how}`
      const id = await made({ env_class_path })
      const { answer } = await holding(t, id) // which nobody lets go
      const waiting = add(id, 1)
      const third = { session_id: id, tool_name: 'draw', tool_args: {}, stream: true, expected_step: 3 }
      await until(async () => {
        const { status, body } = await api('POST', '/env/step', third) // 409 until two are there
        await body?.cancel()
        return status === 200
      })
      t.equal((await end(id)).status, 200, what)
      const { status, body } = await answer
      t.equal(status, 200, what)
      t.match(
        body,
        { tool_result: { status: 'incomplete' }, info: { error: `its session was ${how}` } },
        what,
      )
      const behind = await waiting
      t.equal(behind.status, how === 'reset' ? 409 : 404, `${what}: the next one`)
      t.match(behind.body.message, `its session was ${how}`)
      if (how === 'reset')
        t.match((await add(id, 1)).body, { step: 2, state: { total: 1 } }, 'and it goes on')
      else t.equal((await add(id, 1)).status, 404)
    }
  }
})

t.test('what is unknown is 404 on each operation', async t => {
  const id = 'nobody-made-it'
  for (const answer of [
    await add(id, 1),
    await step(id, 'add', { by: 1 }, { stream: true }),
    await reset(id),
    await observe(id),
    await close(id),
    await record(id),
    await env.remove(id),
    await call('GET', `/env/session/${id}/machine`),
  ]) {
    t.equal(answer.status, 404)
    t.match(answer.body, { code: -32025, detail: /./ })
  }
})

t.test('expected_step is the number of the step, or 409', async t => {
  const id = await made()
  const expecting = (expected_step: number) => step(id, 'add', { by: 1 }, { expected_step })
  t.equal((await expecting(1)).body.step, 1)
  for (const wrong of [1, 3]) {
    const { status, body } = await expecting(wrong)
    t.equal(status, 409)
    t.match(body, { code: -32023 })
  }
  t.equal((await expecting(2)).body.step, 2)
  const all = await Promise.all([3, 3, 3].map(expecting))
  t.same(all.map(({ status }) => status).sort(), [200, 409, 409], 'of three at once it is one')
})

t.test('a step with the Idempotency-Key of another is that step, to the byte', async t => {
  for (const env_class_path of [counter, kept, gone]) {
    const id = await made({ env_class_path })
    const key = { 'idempotency-key': `key ${env_class_path}` }
    const first = await add(id, 1, key)
    t.equal((await add(id, 1, key)).text, first.text)
    await add(id, 5)
    t.equal((await add(id, 1, key)).text, first.text, 'also when the session has moved on')
    const { status, body } = await add(id, 2, key)
    t.equal(status, 409, 'for other arguments it is taken')
    t.equal(body.code, -32023)
    const pair = { 'idempotency-key': `twice ${env_class_path}` }
    const both = await Promise.all([add(id, 1, pair), add(id, 1, pair)])
    t.equal(both[0].text, both[1].text, 'two at once are one')
    t.match((await observe(id)).body.state, { total: 7 })
    const end = { 'idempotency-key': `end ${env_class_path}` }
    const last = await step(id, 'end', {}, {}, end)
    t.equal((await step(id, 'end', {}, {}, end)).text, last.text, 'also when it was the last')
  }
})

t.test('a step that ended its session is answered again by its key', async t => {
  const id = await made()
  const key = { 'idempotency-key': 'deadly' }
  const first = await step(id, 'exit', {}, {}, key)
  const again = await step(id, 'exit', {}, {}, key)
  t.equal(again.status, 200)
  t.equal(again.text, first.text)
})

t.test('a key is one session’s own', async t => {
  const [one, two] = [await made(), await made()]
  const key = { 'idempotency-key': 'shared' }
  t.match((await add(one, 1, key)).body, { session_id: one, step: 1 })
  t.match((await add(two, 1, key)).body, { session_id: two, step: 1 })
})

t.test('a retry without a key is the step again when its answer was cut off, and else a new one', async t => {
  const id = await made()
  const retry = { 'x-stainless-retry-count': '1' }
  const first = await add(id, 1)
  t.equal((await add(id, 1)).body.step, 2, 'two equal moves are two steps')
  t.equal(first.body.step, 1)
  t.equal((await add(id, 1, retry)).body.step, 3, 'what was delivered whole is not given again')

  const file = path.join(t.testdir(), 'go')
  const controller = new AbortController()
  const lost = fetch(`${server.url}/v1/env/step`, {
    method: 'POST',
    headers: { authorization: 'Bearer test-admin-token', 'content-type': 'application/json' },
    body: JSON.stringify({ session_id: id, tool_name: 'hold', tool_args: { file } }),
    signal: controller.signal,
  }).catch(() => 'cut')
  await until(() => existsSync(`${file}.begun`))
  controller.abort()
  t.equal(await lost, 'cut')
  const again = step(id, 'hold', { file }, {}, retry)
  writeFileSync(file, '')
  t.equal((await again).body.step, 4, 'also one that still ran when it was asked for again')
  t.match((await observe(id)).body.state, { total: 4 }, 'it was done once')
  t.equal((await step(id, 'hold', { file }, {}, retry)).body.step, 5)
})

t.test('a streamed step is told as it goes', async t => {
  const id = await made()
  const stream = await streamed({ session_id: id, tool_name: 'say', tool_args: { words: 'one two' } })
  t.match(stream.response.headers.get('content-type'), /^text\/event-stream/)
  await stream.rest()
  const frames = bodies(stream.frames())
  t.same(
    frames.map(({ type }) => type),
    ['step.started', 'step.output.delta', 'step.output.delta', 'step.completed'],
  )
  t.same(
    frames.map(({ sequence_number, session_id, step }) => [sequence_number, session_id, step]),
    [0, 1, 2, 3].map(n => [n, id, 1]),
  )
  t.match(frames[0], { tool_name: 'say', tool_args: { words: 'one two' } })
  t.equal(`${frames[1]?.delta}${frames[2]?.delta}`, 'one two ')
  t.match(frames[3], {
    tool_result: { message_content: [{ type: 'text', text: 'one two' }], block_list: [{ type: 'said' }] },
    reward: 0,
    done: false,
    info: {},
  })
  const plain = (await step(id, 'say', { words: 'x' })).body
  const { type, sequence_number, ...answer } = frames[3] as Record<string, unknown>
  t.same(Object.keys(answer).sort(), Object.keys(plain).sort(), 'in the end it is the answer that others get')

  const failed = await streamed({ session_id: id, tool_name: 'fail', tool_args: { why: 'so' } })
  await failed.rest()
  t.match(bodies(failed.frames()).at(-1), { type: 'step.completed', step: 3, info: { error: 'so' } })
})

t.test(
  'each frame of a streamed step has the number of its step, also when it waited for another',
  async t => {
    const id = await made()
    const { answer, release } = await holding(t, id)
    const second = await streamed({ session_id: id, tool_name: 'say', tool_args: { words: 'late' } })
    release()
    t.equal((await answer).body.step, 1)
    await second.rest()
    t.same([...new Set(bodies(second.frames()).map(frame => frame.step))], [2])
  },
)

t.test('the request_id of a step is the id of its answer and frames, and its cause in the log', async t => {
  const id = await made()
  const { headers } = await step(id, 'add', { by: 1 }, { request_id: 'chain-1' }, { 'x-request-id': 'other' })
  t.equal(headers.get('x-request-id'), 'chain-1')
  const stream = await streamed({ ...add2(id), request_id: 'chain-2' }, { 'x-request-id': 'other' })
  await stream.rest()
  t.equal(stream.response.headers.get('x-request-id'), 'chain-2')
  t.same(
    [...new Set(stream.text().match(/"jsonrpc":"2.0","id":"[^"]*"/g))],
    ['"jsonrpc":"2.0","id":"chain-2"'],
  )
  const named = await step(id, 'add', { by: 1 }, {}, { 'x-request-id': 'header-3' })
  t.equal(named.headers.get('x-request-id'), 'header-3')
  const { body } = await call('GET', `/audit/events?stream=env-${id}&limit=10`)
  t.same(
    (body as unknown as { events: { causation_id: string }[] }).events
      .slice(1)
      .map(event => event.causation_id),
    ['chain-1', 'chain-2', 'header-3'],
  )
})

t.test('a streamed step that fails says the number that it would have had', async t => {
  const id = await made()
  await add(id, 1)
  const { answer } = await holding(t, id)
  const waiting = await streamed(add2(id))
  await close(id)
  await answer
  await waiting.rest()
  t.match(bodies(waiting.frames()), [{ type: 'step.failed', step: 3, error: { code: -32025 } }])
})

t.test('a streamed step with a known key is the step that it was', async t => {
  const id = await made()
  const key = { 'idempotency-key': 'streamed' }
  const first = await add(id, 1, key)
  await step(id, 'end')
  const again = await streamed({ session_id: id, tool_name: 'add', tool_args: { by: 1 } }, key)
  await again.rest()
  const { type, sequence_number, ...answer } = bodies(again.frames()).at(-1) ?? {}
  t.same(answer, first.body)
})

t.test('a stream begins only for a step that may be taken, whatever its headers say', async t => {
  const id = await made()
  await add(id, 1)
  const known = { 'idempotency-key': 'known' }
  await add(id, 2, known)
  const key = { 'idempotency-key': 'unknown' }
  const retry = { 'x-stainless-retry-count': '1' }
  const tries: [object, Record<string, string>, number][] = [
    [{ tool_name: 'nobody' }, key, 422],
    [{ tool_name: 'nobody' }, retry, 422],
    [{ tool_name: 'add' }, key, 422],
    [{ tool_name: 'add', tool_args: { by: 9 } }, known, 409],
    [{ tool_name: 'add', tool_args: { by: 1 } }, { 'idempotency-key': 'x'.repeat(257) }, 422],
    [{ tool_name: 'add', tool_args: { by: 1 }, expected_step: 2 }, {}, 409],
    [{ tool_name: 'add', tool_args: { by: 1 }, expected_step: 4 }, {}, 409],
  ]
  for (const [body, headers, status] of tries) {
    const what = JSON.stringify([body, headers])
    t.equal(
      (await call('POST', '/env/step', { session_id: id, stream: true, ...body }, headers)).status,
      status,
      what,
    )
    t.equal((await call('POST', '/env/step', { session_id: id, ...body }, headers)).status, status, what)
  }
  t.match((await observe(id)).body.state, { total: 3 })
})

t.test('a streamed step whose reader goes is done all the same', async t => {
  const id = await made()
  const file = path.join(t.testdir(), 'go')
  const stream = await streamed({ session_id: id, tool_name: 'hold', tool_args: { file } })
  await stream.until(frames => bodies(frames).some(({ delta }) => delta === 'holding'))
  await stream.cut()
  writeFileSync(file, '')
  t.match((await add(id, 1)).body, { step: 2, state: { total: 2 } })
})

t.test('sixty-four may wait behind one that runs, in order; the next is told to come later', async t => {
  const id = await made()
  const { answer, release } = await holding(t, id)
  const waiting = Array.from({ length: 64 }, (_, n) => add(id, n))
  // Those that wait have all arrived when one more is refused, and only then.
  let refused = await Promise.race([add(id, 1000), ...waiting])
  while (refused.status !== 429) refused = await add(id, 1000)
  t.equal(refused.status, 429)
  t.equal(refused.body.code, -32027)
  t.equal(refused.headers.get('retry-after'), '1')
  t.match(await record(id), { status: 200 }, 'it can be looked at meanwhile')
  release()
  await answer
  const answers = await Promise.all(waiting)
  t.same([...new Set(answers.map(({ status }) => status))], [200])
  const steps = answers.map(({ body }) => body.step).sort((a, b) => a - b)
  t.same(
    steps,
    Array.from({ length: 64 }, (_, n) => n + 2),
  )
  t.match((await observe(id)).body.state, { total: 1 + (63 * 64) / 2 })
  t.equal((await add(id, 1)).status, 200, 'when they are done there is room')
})

t.test('the same seed and moves are the same trajectory, and another seed is another', async t => {
  const play = async (env_class_path: string, seed: number) => {
    const id = await made({ env_class_path })
    const told = [(await reset(id, { seed })).body.observation]
    for (const by of [1, 2]) {
      told.push((await step(id, 'draw')).body.observation, (await add(id, by)).body.observation)
    }
    return JSON.stringify(told.map(({ at, ...seen }) => seen))
  }
  for (const path of [counter, kept, gone]) {
    const [first, second, other] = await Promise.all([play(path, 7), play(path, 7), play(path, 8)])
    t.equal(first, second, path)
    t.not(first, other)
  }
})

t.test('the same seed is the same trajectory again in one session, whatever was done before', async t => {
  for (const env_class_path of [counter, kept, gone]) {
    const id = await made({ env_class_path })
    const play = async (before: number) => {
      for (let n = 0; n < before; n++) await step(id, 'draw')
      const { observation } = (await reset(id, { seed: 7 })).body
      for (let n = 0; n < 2; n++) await step(id, 'draw')
      const { drawn, seed } = (await observe(id)).body.state
      return { observation, drawn, seed }
    }
    const first = await play(0)
    t.equal(new Set(first.drawn).size, 2, 'and its steps draw different numbers')
    t.same(await play(3), first, env_class_path)
    await close(id)
    await create({ session_id: id, env_class_path })
    t.same(await play(1), first, 'in a new instance, too')
  }
})

t.test('reset answers what is there then, takes options, and draws a seed when it gets none', async t => {
  const id = await made()
  await add(id, 5)
  const { status, body } = await reset(id, { seed: 2 ** 53 - 1, options: { start: 9 } })
  t.equal(status, 200)
  t.same(Object.keys(body).sort(), ['done', 'observation', 'tools'])
  t.match(body.observation, { total: 9, seed: 2 ** 53 - 1 })
  const seeds = new Set<number>()
  for (let n = 0; n < 3; n++) {
    const drawn = (await reset(id)).body.observation
    t.equal(drawn.total, 0, 'options hold for one reset')
    seeds.add(drawn.seed)
  }
  t.equal(seeds.size, 3)
  t.equal((await reset(id, { seed: null, options: null })).status, 200)
  t.equal((await add(id, 1)).body.step, 2, 'steps count on')
  const events: string[] = []
  for await (const page of server.system.log.readStream(`env-${id}`)) {
    for (const { header, data } of page) {
      if (header.type === 'EnvSessionReset') events.push(String((data as { seed: number }).seed))
    }
  }
  for (const seed of seeds) t.ok(events.includes(`${seed}`), 'the drawn seed is stored')
})

t.test('a reset that the environment refuses changes nothing', async t => {
  for (const env_class_path of [counter, kept, gone]) {
    const id = await made({ env_class_path })
    await add(id, 5)
    const { status, body } = await reset(id, { options: { broken: true } })
    t.equal(status, 422, env_class_path)
    t.same(brief(body.detail), ['body options value_error'])
    t.match((await observe(id)).body.state, { total: 5 })
    t.match((await add(id, 1)).body, { step: 2, state: { total: 6 } })
  }
})

t.test('an environment that dies in a reset ends its session', async t => {
  const id = await made()
  const { status, body } = await reset(id, { options: { exit: true } })
  t.equal(status, 404)
  t.match(body.data, { reason: /exit code 3/ })
  t.match((await record(id)).body, { is_active: false, close_reason: /exit code 3/ })
})

t.test('tools that come with the state are told, and can be called', async t => {
  const id = await made()
  t.equal((await step(id, 'celebrate')).status, 422)
  const { body } = await add(id, 1000)
  t.ok(body.tools.some(tool => tool.function.name === 'celebrate'))
  t.equal((await step(id, 'celebrate')).status, 200)
  await reset(id)
  t.equal((await step(id, 'celebrate')).status, 422, 'and go with it')
})

type Info = Record<string, string>
const listed = async (query = ''): Promise<Info[]> => {
  const { status, body, text } = await call('GET', `/env${query}`)
  if (status !== 200) throw new Error(text)
  return (body as unknown as { environments: Info[] }).environments
}

t.test('the list of environments has ours and those of the folder, in pages by name', async t => {
  const all = await listed()
  const names = all.map(info => String(info.name))
  const ours = [
    'chess',
    'counter.mjs#Counter',
    'counter.mjs#Gone',
    'counter.mjs#Kept',
    'gridworld',
    'sql',
    'workspace',
  ]
  for (const name of ours) t.ok(names.includes(name), name)
  t.same(names, names.toSorted())
  const fields = ['default_params_summary', 'importable', 'module', 'name', 'origin', 'source']
  for (const info of all) {
    t.same(
      fields.filter(field => typeof info[field] !== 'string'),
      [],
    )
    t.ok(['builtin', 'external', 'local'].includes(String(info.origin)))
  }
  const one = (name: string) => all.find(info => info.name === name)
  t.match(one('broken.mjs'), { importable: 'false', error: /this module is broken/, origin: 'external' })
  t.match(one('counter.mjs#Counter'), {
    importable: 'true',
    module: 'counter.mjs',
    default_params_summary: /start=0/,
  })
  t.match(one('gridworld'), { importable: 'true', origin: 'builtin' })

  const paged: string[] = []
  for (let after = ''; ; after = encodeURIComponent(paged.at(-1) ?? '')) {
    const page = await listed(`?limit=3${after === '' ? '' : `&starting_after=${after}`}`)
    t.ok(page.length <= 3)
    if (page.length === 0) break
    paged.push(...page.map(info => String(info.name)))
  }
  t.same(paged, names, 'page after page')
  const middle = encodeURIComponent(names[4] ?? '')
  t.same(
    (await listed(`?limit=2&ending_before=${middle}`)).map(info => info.name),
    names.slice(2, 4),
    'the page before one is the nearest',
  )
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'limit=1.5', 'limit=', 'limit=1&limit=2']) {
    const { status, body } = await call('GET', `/env?${query}`)
    t.equal(status, 422, query)
    t.same(body.detail[0]?.loc, ['query', 'limit'])
  }
  const { status, body } = await call('GET', '/env?starting_after=chess&ending_before=sql')
  t.equal(status, 422, 'one cursor at a time')
  t.same(brief(body.detail), ['query starting_after value_error', 'query ending_before value_error'])
})

t.test('one environment is found by its name, its module, or its module and class', async t => {
  for (const [name, expected] of [
    ['gridworld', ['gridworld']],
    ['counter.mjs', ['counter.mjs#Counter', 'counter.mjs#Gone', 'counter.mjs#Kept']],
    ['counter', ['counter.mjs#Counter', 'counter.mjs#Gone', 'counter.mjs#Kept']],
    ['counter.mjs#Kept', ['counter.mjs#Kept']],
    ['broken.mjs', ['broken.mjs']],
  ] as const) {
    const { status, body } = await call('GET', `/env/${encodeURIComponent(name)}`)
    t.equal(status, 200, name)
    const { details, name: told } = body as unknown as { name: string; details: Info[] }
    t.equal(told, name)
    t.same(details.map(info => info.name).sort(), expected)
  }
  for (const name of ['nowhere', 'counter.mjs#Nobody', '../http', 'sessions.mjs']) {
    const { status, body } = await call('GET', `/env/${encodeURIComponent(name)}`)
    t.equal(status, 404, name)
    t.match(body, { code: -32024, detail: /./ })
  }
})

t.test('nothing of all that was a fault of ours', t => {
  t.same(
    server.lines.filter(({ level }) => level === 'error'),
    [],
  )
  t.end()
})
