// Creating an environment session: what is made, kept and refused, and which session a create comes to.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { brief, until } from '../../support/http.ts'
import { counter, gone, kept, modules } from '../env-calls.ts'
import { givenEnvironments } from './given.ts'

const { dataDir, server, create, made, step, add, reset, observe, close, record, remove, call, faults } =
  await givenEnvironments(t)

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
  for (const env_class_path of ['../env-calls.ts', '/etc/passwd', '../modules-not/x.mjs']) {
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

t.test('nothing of all that was a fault of ours', async t => {
  t.same(faults(), [])
})
