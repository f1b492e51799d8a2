// An MCP server of the operator as an environment, over HTTP: its tools are those of a session, which ends with the
// connection to it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { serveMcp } from '../mcp/servers/http.ts'
import { result } from '../mcp/servers/raw.mjs'
import { listOf, plainTool } from '../mcp/servers/raw.ts'
import { folderOf, isAlive, linesOf } from '../mcp/support.ts'
import { storedEvents } from '../server/stored-log.ts'
import { read, until } from '../support/http.ts'
import { apiOf, serveHere } from '../support/server.ts'
import { resultsOf, script, tasksOf } from './agent-tasks.ts'
import { type EnvCalls, envCalls } from './env-calls.ts'

const file = (name: string) => path.resolve(import.meta.dirname, `../mcp/servers/${name}.mjs`)
const node = (...args: string[]) => ({ command: process.execPath, args })
const operatorsKey = 'sEcReT-operators-key'

const place = await serveMcp(t)
const MCP_CONFIG = path.join(folderOf(t), 'mcp.json')
const oddScript = path.join(path.dirname(MCP_CONFIG), 'odd.json')
writeFileSync(
  oddScript,
  JSON.stringify({
    lists: [listOf([plainTool('good'), plainTool('odd name/with:signs'), null])],
    calls: {
      good: { writes: [`${result({ structuredContent: { mean: 7 } })}\n`.replace('7', 'NaN')] },
      'odd name/with:signs': { writes: [`{'jsonrpc': '2.0', 'id': "$id", 'result': {}}\n`] },
    },
  }),
)
const mcpServers = {
  tools: { ...node(file('stdio')), env: { API_KEY: operatorsKey } },
  place: { url: place.url },
  gone: node(file('hostile'), 'gone'),
  odd: node(file('raw'), oddScript),
}
writeFileSync(MCP_CONFIG, JSON.stringify({ mcpServers }))
const server = await serveHere(t, { MCP_CONFIG, LOG_LEVEL: 'debug' })
const { api, url, lines } = server
const env = envCalls(api)
const { step, record, close, observe, reset, call } = env

const createWith = (name: unknown, who: EnvCalls = env, more: object = {}) =>
  who.create({ env_id: 'mcp', env_init_kwargs: { server: name }, ...more })
const madeWith = async (name: string, who: EnvCalls = env, more: object = {}): Promise<string> => {
  const { status, text, body } = await createWith(name, who, more)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return body.session_id
}
const content = (answer: Awaited<ReturnType<EnvCalls['step']>>) => answer.body.tool_result.message_content
const named = (tools: { function: { name: string } }[]) => tools.map(tool => tool.function.name)
const starts = () =>
  lines.filter(({ fields }) => JSON.stringify(fields ?? '').includes('started, and my key'))

t.afterEach(() => call('POST', '/env/sessions/cleanup?inactive_seconds=0'))

t.test('it may be the environment of a create that names none, which then says what it needs', async t => {
  const other = await serveHere(t, { MCP_CONFIG, ENV_DEFAULT: 'mcp' })
  const theirs = envCalls(other.api)
  const bare = await theirs.create({})
  t.equal(bare.status, 422)
  t.match(bare.body.detail, [{ loc: ['body', 'env_init_kwargs'], msg: /the property "server"/ }])
  const { status, body } = await theirs.create({ env_init_kwargs: { server: 'tools' } })
  t.equal(status, 200)
  t.match(body, { env_id: /^env-/, initial_state: { server: 'tools' } })
  t.equal((await theirs.create({ env_class_path: 'nobody' })).status, 404)
})

t.test('the tools of the server are those of the session, and a step calls one', async t => {
  for (const name of ['tools', 'place']) {
    const before = starts().length
    const { status, body } = await createWith(name)
    t.equal(status, 200)
    t.same(body.initial_state, { server: name })
    t.equal(body.done, false)
    const { session_id } = body
    const echo = body.tools.find(tool => tool.function.name === 'echo')
    t.match(echo, {
      type: 'function',
      function: {
        description: 'Says it again.',
        strict: false,
        parameters: { type: 'object', required: ['text'] },
      },
    })
    const first = await step(session_id, 'echo', { text: 'hello' })
    t.equal(first.status, 200)
    t.match(first.body, {
      session_id,
      step: 1,
      tool_result: { type: 'tool_result', status: 'completed', message_content: 'hello' },
      state: { server: name },
      reward: 0,
      terminated: false,
      truncated: false,
      done: false,
      info: {},
    })
    t.equal(content(await step(session_id, 'count')), '1')
    t.equal(content(await step(session_id, 'count')), '2', 'the server remembers what it was asked')
    t.match((await observe(session_id)).body, { state: { server: name }, done: false })
    if (name === 'tools') {
      await until(() => starts().length > before)
      t.equal(starts().length, before + 1, 'one process')
    }
    for (const [tool, args, where] of [
      ['nobody', {}, ['body', 'tool_name']],
      ['echo', { text: 5 }, ['body', 'tool_args']],
    ] as const) {
      const refused = await step(session_id, tool, args)
      t.equal(refused.status, 422)
      t.same(refused.body.detail[0]?.loc, where)
    }
    t.equal((await close(session_id)).status, 200)
  }
})

t.test(
  'odd tools are named in the state and in the info of the kind, and the others are stepped',
  async t => {
    const { body } = await createWith('odd')
    const left = { server: 'odd', name: 'number 3 of the list', problem: 'it is no object', left_out: true }
    t.same(body.initial_state, { server: 'odd', odd_tools: [left] })
    const names = named(body.tools)
    t.match(names, ['good', /^odd_name_with_signs_[0-9a-f]{8}$/], 'in characters that models accept')
    const { session_id: id } = body
    t.equal(content(await step(id, 'good')), '{"mean":null}')
    const unread = await step(id, names[1] ?? '')
    t.match(unread.body.tool_result, {
      status: 'incomplete',
      message_content: /^the MCP server "odd" sent an answer that cannot be read: \{'jsonrpc'/,
    })
    t.equal(content(await step(id, 'good')), '{"mean":null}', 'the session goes on')
    t.match((await call('GET', '/env/mcp')).body, { details: [{ odd_tools: [left] }] })
    t.match(
      lines.filter(({ level }) => level === 'warn'),
      [{ message: 'MCP server "odd" lists tools that are odd: they are mended or left out' }],
    )
  },
)

t.test('two sessions of one server are two connections', async t => {
  const [one, two] = [await madeWith('tools'), await madeWith('tools')]
  await step(one, 'count')
  t.equal(content(await step(two, 'count')), '1')
  t.equal(content(await step(one, 'count')), '2')
  const pid = Number(content(await step(one, 'pid')))
  t.ok(isAlive(pid))
  await close(one)
  await until(() => !isAlive(pid))
  t.equal(content(await step(two, 'count')), '2', 'the other goes on')
})

t.test('a tool that fails is a step with its error, and the session goes on', async t => {
  for (const name of ['tools', 'place']) {
    const id = await madeWith(name)
    await step(id, 'count')
    for (const [tool, why] of [
      ['fail', 'not today'],
      ['refuse', 'never'],
    ] as const) {
      const { status, body } = await step(id, tool, { why })
      t.equal(status, 200)
      t.match(body, { tool_result: { status: 'incomplete' }, truncated: false, done: false })
      t.match(body.tool_result.message_content, why, `${name}: ${tool}`)
      t.equal(body.info.error, body.tool_result.message_content)
    }
    t.match((await record(id)).body, { is_active: true })
    const next = await step(id, 'count')
    t.equal(content(next), '2', 'on the same connection')
    t.equal(next.body.step, 4)
  }
  const id = await madeWith('tools')
  const { text } = await step(id, 'fail', { why: `my key is ${operatorsKey}` })
  t.match(text, /my key is \*\*\*/)
  t.notMatch(text, operatorsKey)
})

t.test('tools that come with a step are told with it, and can be called', async t => {
  const id = await madeWith('tools')
  const learnt = await step(id, 'learn', { name: 'juggle' })
  t.ok(named(learnt.body.tools).includes('juggle'))
  t.equal(content(await step(id, 'juggle')), 'I know juggle')
})

t.test('a reset is a new connection, and the steps count on', async t => {
  const id = await madeWith('tools')
  await step(id, 'learn', { name: 'juggle' })
  t.equal(content(await step(id, 'count')), '1')
  const { status, body } = await reset(id, { seed: 3 })
  t.equal(status, 200)
  t.notOk(named(body.tools).includes('juggle'))
  const again = await step(id, 'count')
  t.equal(content(again), '1')
  t.equal(again.body.step, 3)
})

t.test(
  'a server that is not there is refused by name, and one that cannot be used with the reason',
  async t => {
    for (const [given, msg] of [
      ['nobody', /must be one of .*"tools"/],
      ['gone', /the MCP server "gone" closed the connection/],
      [5, /./],
      [undefined, /server/],
    ] as const) {
      const { status, body } = await createWith(given, env, { session_id: 'never-made' })
      t.equal(status, 422, String(given))
      t.match(body.detail[0]?.msg, msg)
      t.ok(['env_init_kwargs', 'env_id'].includes(String(body.detail[0]?.loc[1])))
    }
    const extra = await env.create({ env_id: 'mcp', env_init_kwargs: { server: 'tools', command: 'sh' } })
    t.equal(extra.status, 422)
    t.equal((await record('never-made')).status, 404)
  },
)

t.test('a server that ends takes its session with it, in a step or between two', async t => {
  const [inStep, between] = [await madeWith('tools'), await madeWith('tools')]
  const pid = Number(content(await step(between, 'pid')))
  process.kill(pid, 'SIGKILL')
  await until(() => !isAlive(pid))
  for (const [id, ask] of [
    [inStep, () => step(inStep, 'die')],
    [between, () => step(between, 'count')],
  ] as const) {
    const { status, body } = await ask()
    t.equal(status, 200)
    t.match(body, {
      tool_result: { status: 'incomplete' },
      truncated: true,
      done: true,
      info: { error: 'the MCP server "tools" closed the connection' },
    })
    t.match((await record(id)).body, {
      is_active: false,
      close_reason: 'the MCP server "tools" closed the connection',
    })
    t.equal((await step(id, 'count')).status, 404)
  }
})

t.test('a task whose session it is calls the tools of the server', async t => {
  const session_id = await madeWith('tools')
  const agent_config = script(
    { tool: 'count' },
    { tool: 'fail', arguments: { why: 'no' } },
    { message: '$result' },
  )
  const { body } = await tasksOf(api).post({ session_id, agent_config })
  t.equal(body.result.status, 'completed')
  t.same(
    resultsOf(body.result as never).map(({ status }) => status),
    ['completed', 'incomplete'],
    'a tool that fails is told to the agent',
  )
  const next = await step(session_id, 'count')
  t.equal(content(next), '2')
  t.equal(next.body.step, 3)
})

t.test("another user's session is none", async t => {
  const tokenOf = async (user_id: string) =>
    (
      (await read(api('POST', '/auth/tokens', { role: 'user', user_id }))).body as unknown as {
        token: string
      }
    ).token
  const ann = envCalls(apiOf(url, await tokenOf('ann')))
  const bob = envCalls(apiOf(url, await tokenOf('bob')))
  const id = await madeWith('tools', ann)
  for (const answer of [
    await bob.step(id, 'count'),
    await bob.observe(id),
    await bob.reset(id),
    await bob.record(id),
    await bob.close(id),
    await createWith('tools', bob, { session_id: id }),
  ]) {
    t.equal(answer.status, 404)
    t.equal(answer.body.code, -32025)
  }
  t.equal(content(await ann.step(id, 'count')), '1')
})

t.test(
  'it is listed with the others, and as one that cannot be used where no server is configured',
  async t => {
    const { body } = await call('GET', '/env/mcp')
    t.match(body, { name: 'mcp', details: [{ name: 'mcp', origin: 'builtin', importable: 'true' }] })
    const none = await serveHere(t)
    const there = envCalls(none.api)
    t.match((await there.call('GET', '/env/mcp')).body, {
      details: [{ importable: 'false', error: 'MCP_CONFIG names no server' }],
    })
    t.equal((await createWith('tools', there)).status, 422)
  },
)

t.test('after a restart the session is closed with a reason, and its steps are kept', async t => {
  const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'reprise-mcp-sessions-'))
  t.teardown(() => rmSync(DATA_DIR, { recursive: true, force: true }))
  const settings = { DATA_DIR, MCP_CONFIG, DRAIN_SECONDS: '0' }
  const before = await serveHere(t, settings)
  const there = envCalls(before.api)
  const [quiet, busy] = [await madeWith('tools', there), await madeWith('tools', there)]
  const first = await there.step(quiet, 'count', {}, {}, { 'idempotency-key': 'first' })
  await there.step(quiet, 'echo', { text: 'kept' })
  const trace = path.join(DATA_DIR, 'trace')
  const waiting = there.step(busy, 'wait', { file: trace }).catch(() => undefined)
  await until(() => linesOf(trace).length > 0)
  const pid = Number(linesOf(trace)[0]?.split(' ')[1])
  await before.stop()
  await waiting
  t.notOk(isAlive(pid))

  const after = await serveHere(t, settings)
  const again = envCalls(after.api)
  for (const id of [quiet, busy]) {
    t.match((await again.record(id)).body, { is_active: false, close_reason: /./ })
    t.equal((await again.step(id, 'count')).status, 404)
  }
  t.match((await again.record(quiet)).body, {
    close_reason: 'the server was restarted, and an environment of this kind does not come back',
  })
  const repeated = await again.step(quiet, 'count', {}, {}, { 'idempotency-key': 'first' })
  t.equal(repeated.text, first.text, 'a step that was taken is answered by its key')
  const stepsOf = (id: string) =>
    storedEvents(DATA_DIR).filter(({ stream, type }) => stream === `env-${id}` && type === 'EnvStepCompleted')
  t.same(
    stepsOf(quiet).map(({ data }) => [
      (data as { step: number }).step,
      (data as { content: string }).content,
    ]),
    [
      [1, '1'],
      [2, 'kept'],
    ],
  )
  t.match(stepsOf(busy), [{ data: { step: 1, status: 'incomplete', truncated: true, info: { error: /./ } } }])
  t.equal(linesOf(trace).filter(line => line.startsWith('waiting')).length, 1, 'and was not called again')

  await createWith('tools', again, { session_id: quiet })
  const goesOn = await again.step(quiet, 'count')
  t.equal(content(goesOn), '1', 'a new connection')
  t.equal(goesOn.body.step, 3)
})

t.test('nothing of all that was a fault of ours', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
