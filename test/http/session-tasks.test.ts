// Tasks whose session_id names an environment session: its tools are theirs, and their calls are its steps.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { calls, fakeModel, says } from '../support/fake-model.ts'
import { until } from '../support/http.ts'
import { serveHere } from '../support/server.ts'
import { callId, callsOf, outline, resultsOf, script, tasksOf, textsOf, tool } from './agent-tasks.ts'
import { counter, envCalls, gone, kept, modules } from './env-calls.ts'

const { api, lines } = await serveHere(t, { ENV_PATH: modules })
const env = envCalls(api)
const { play, post, get, act, becomes, answer } = tasksOf(api)
// Each session is a process: none is needed longer than its test.
t.afterEach(() => env.call('POST', '/env/sessions/cleanup?inactive_seconds=0'))

const add = (by: number) => ({ tool: 'add', arguments: { by } })
const end = { message: 'so: $result' }
const told = (task: Parameters<typeof resultsOf>[0], n = 0) => String(resultsOf(task)[n]?.message_content)
const totalOf = async (id: string) => (await env.observe(id)).body.state.total

t.test('the tools of the session are called, and each call is one step', async t => {
  const session_id = await env.made()
  const task = await play([add(2), add(2), { tools: [add(3), add(4)] }, end], { session_id })
  t.equal(task.status, 'completed')
  t.same(
    resultsOf(task).map(({ status }) => status),
    ['completed', 'completed', 'completed', 'completed'],
  )
  t.match(told(task), /^it is 2 now\n\{"reward":0.25\}$/)
  t.match((await env.observe(session_id)).body.state, { total: 11 })
  t.equal((await env.add(session_id, 1)).body.step, 5, 'they are numbered with all others')
})

t.test(
  'a call that does not fit, or fails inside, is told to the agent, and the session goes on',
  async t => {
    const session_id = await env.made()
    const unfit = { tool: 'add', arguments: { by: 'x' } }
    const task = await play(
      [unfit, { tool: 'nobody' }, { tool: 'fail', arguments: { why: 'shut' } }, add(1), end],
      {
        session_id,
      },
    )
    t.same(
      resultsOf(task).map(({ status }) => status),
      ['incomplete', 'incomplete', 'incomplete', 'completed'],
    )
    t.match(told(task), /arguments/)
    t.match(told(task, 2), /shut/)
    t.equal((await env.add(session_id, 0)).body.step, 3, 'what did not fit is no step')
  },
)

t.test('when the episode is over the agent has one more turn, and the task says what ended it', async t => {
  const session_id = await env.made()
  const entries = [add(1), { tool: 'end' }, { message: 'I saw the end' }, { message: 'never said' }]
  const task = await play(entries, { session_id })
  t.equal(task.status, 'completed')
  t.same(textsOf(task), ['I saw the end'])
  t.match(told(task, 1), /^the end\n\{"reward":0.5,"terminated":true\}\nThe episode is over\./)
  const [, call] = callsOf(task)
  t.same(task.metadata?.ended_by, { reason: 'terminated', call_id: call?.call_id, name: 'end' })
  const next = await play([add(1), end], { session_id })
  t.match(outline(next), ['tool_call add completed', 'tool_result incomplete', 'message completed'])
  t.match(told(next), /no tool "add"/, 'a session that is done has no tools')
})

t.test('a call in the last turn is refused, whatever it is, and the task completes', async t => {
  const session_id = await env.made()
  const client_tools = [tool('ask')]
  for (const late of [add(1), { tool: 'ask' }, { tool: 'calculator', arguments: { expression: '1' } }]) {
    const id = await env.made()
    const task = await play([{ tool: 'end' }, late, { message: 'never said' }], {
      session_id: id,
      client_tools,
    })
    t.equal(task.status, 'completed')
    t.match(outline(task).slice(2), [`tool_call ${late.tool} completed`, 'tool_result incomplete'])
    t.match(told(task, 1), /the episode of the environment session is over/)
  }
  const stopped = await play([{ tool: 'end' }, { message: 'never said' }], {
    session_id,
    stop_tools: ['end'],
  })
  t.same(textsOf(stopped), [], 'a stop tool still ends the task at once')
})

t.test('an answer of the client that is still missing is waited for before the last turn', async t => {
  const session_id = await env.made()
  const both = { tools: [{ tool: 'end' }, { tool: 'ask' }] }
  const task = await play([both, end], { session_id, client_tools: [tool('ask')], background: true })
  const waiting = await becomes(task.id, 'input-required')
  const call = callsOf(waiting).find(({ name }) => name === 'ask')
  const call_id = String(call?.call_id)
  await answer(task.id, { type: 'tool_result', call_id, message_content: 'mine', block_list: [] })
  t.match(textsOf(await becomes(task.id, 'completed')), ['so: mine'])
})

t.test('a model is offered no tool in its last turn', async t => {
  const fake = await fakeModel(t, [calls(['end', '{}']), says('it was good')])
  const server = await serveHere(t, { ...fake.env, ENV_PATH: modules })
  const session_id = await envCalls(server.api).made()
  const { body } = await tasksOf(server.api).post({ session_id })
  t.same(textsOf(body.result), ['it was good'])
  t.match(JSON.stringify(fake.asked[0]), '"name":"end"')
  t.notMatch(JSON.stringify(fake.asked[1]), '"tools"')
  t.match(JSON.stringify(fake.asked[1]), /give your last answer/)
})

t.test('an agent sees the observation of each step if the kind says so', async t => {
  const folder = folderFor(t)
  const written = readFileSync(path.join(modules, 'counter.mjs'), 'utf8')
  const shown = `${written}\nexport class Shown extends Counter { static showsObservation = true }\n`
  writeFileSync(path.join(folder, 'shown.mjs'), shown)
  const server = await serveHere(t, { ENV_PATH: folder })
  const session_id = await envCalls(server.api).made({ env_class_path: 'shown#Shown' })
  const task = await tasksOf(server.api).play([add(2), end], { session_id })
  t.match(told(task), /^it is 2 now\n\{"observation":\{.*"total":2.*\},"reward":0.25\}$/)
})

t.test("an environment that dies ends the task's call, and the session", async t => {
  const session_id = await env.made()
  const task = await play([{ tool: 'exit' }, { message: 'it is gone' }, { message: 'never said' }], {
    session_id,
  })
  t.equal(task.status, 'completed')
  t.same(textsOf(task), ['it is gone'])
  t.match(task.metadata?.ended_by, { reason: 'truncated', name: 'exit' })
  t.match(told(task), /exit code 7/)
  t.match((await env.record(session_id)).body, { is_active: false })
})

t.test("another user's session gives no tools, nor does one that is closed or unknown", async t => {
  const session_id = await env.made({ user_id: 'ann' })
  const closed = await env.made()
  await env.close(closed)
  for (const more of [
    { session_id, user_id: 'bob' },
    { session_id },
    { session_id: closed },
    { session_id: 'none' },
  ]) {
    const task = await play([add(1), end], more)
    t.match(told(task), /no tool "add"/, JSON.stringify(more))
  }
  t.equal(await totalOf(session_id), 0)
  const own = await play([add(1), end], { session_id, user_id: 'ann' })
  t.equal(resultsOf(own)[0]?.status, 'completed')
})

t.test('lists that allow and forbid hold for the tools of a session', async t => {
  const session_id = await env.made()
  const list = await play([add(1), { tool: 'draw' }, end], {
    session_id,
    agent_config: { ...script(add(1), { tool: 'draw' }, end), allowed_tools: ['draw'] },
  })
  t.same(
    resultsOf(list).map(({ status }) => status),
    ['incomplete', 'completed'],
  )
  const none = await play([add(1), end], {
    session_id,
    agent_config: { ...script(add(1), end), allowed_tools: [] },
  })
  t.equal(resultsOf(none)[0]?.status, 'incomplete')
  t.equal(await totalOf(session_id), 0)
})

t.test('a tool of the client with the same name wins', async t => {
  const session_id = await env.made()
  const client_tools = [tool('add')]
  const task = await play([add(1), end], { session_id, client_tools, background: true })
  const waiting = await becomes(task.id, 'input-required')
  await answer(task.id, {
    type: 'tool_result',
    call_id: callId(waiting),
    message_content: 'mine',
    block_list: [],
  })
  t.match(textsOf(await becomes(task.id, 'completed')), ['so: mine'])
  t.equal(await totalOf(session_id), 0)
})

t.test('a tool of the session with the name of one of ours wins', async t => {
  const session_id = await env.made({ env_class_path: 'gridworld' })
  const task = await play([{ tool: 'look' }, { tool: 'calculator', arguments: { expression: '6*7' } }, end], {
    session_id,
  })
  t.same(
    resultsOf(task).map(({ status }) => status),
    ['completed', 'completed'],
  )
  t.equal(told(task, 1), '42', 'and ours are still there')
})

t.test('cancel reaches a step that runs', async t => {
  const session_id = await env.made()
  const file = path.join(t.testdir(), 'go')
  const task = await play([{ tool: 'hold', arguments: { file } }, end], { session_id, background: true })
  await until(() => existsSync(`${file}.begun`))
  t.equal((await act(task.id, 'cancel')).status, 200)
  const canceled = await get(task.id)
  t.equal(canceled.status, 'canceled')
  t.match((await env.observe(session_id)).body.state, { total: 0 }, 'it was stopped')
  t.match((await env.add(session_id, 1)).body, { step: 2, state: { total: 1 } }, 'and the session goes on')
})

t.test('a cancel while the step waits for another leaves no step', async t => {
  const session_id = await env.made()
  const file = path.join(t.testdir(), 'go')
  const first = env.step(session_id, 'hold', { file })
  await until(() => existsSync(`${file}.begun`))
  const task = await play([add(5), end], { session_id, background: true })
  await until(async () => callsOf(await get(task.id)).length === 1)
  await act(task.id, 'cancel')
  writeFileSync(file, '')
  await first
  t.equal((await becomes(task.id, 'canceled')).status, 'canceled')
  t.match((await env.add(session_id, 0)).body, { step: 2, state: { total: 1 } })
})

t.test('a model is offered the tools of the session, and calls them', async t => {
  const answers = [calls(['add', '{"by":3}'], ['add', '{"by":3}']), says('done')]
  const fake = await fakeModel(t, answers)
  const server = await serveHere(t, { ...fake.env, ENV_PATH: modules })
  const there = envCalls(server.api)
  const session_id = await there.made()
  const { post: ask } = tasksOf(server.api)
  const { body } = await ask({ session_id })
  t.equal(body.result.status, 'completed')
  t.same(
    resultsOf(body.result).map(({ status }) => status),
    ['completed', 'completed'],
  )
  t.equal((await there.observe(session_id)).body.state.total, 6, 'two equal calls are two steps')
  const offered = JSON.stringify(fake.asked[0])
  for (const name of ['add', 'draw', 'hold', 'end']) t.match(offered, `"name":"${name}"`)
  t.match(JSON.stringify(fake.asked[1]), /it is 6 now/, 'and hears what came of them')
})

/** A folder for servers that come one after another. */
const folderFor = (t: Test): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-session-tasks-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A server that is stopped in order while a task holds in a step, and the next one on its folder. */
const stoppedInStep = async (t: Test, env_class_path: string) => {
  const DATA_DIR = folderFor(t)
  const settings = { DATA_DIR, ENV_PATH: modules, DRAIN_SECONDS: '0' }
  const before = await serveHere(t, settings)
  const [file, trace] = [path.join(DATA_DIR, 'go'), path.join(DATA_DIR, 'trace')]
  const session_id = await envCalls(before.api).made({ env_class_path, env_init_kwargs: { trace } })
  const steps = [add(1), { tool: 'hold', arguments: { file } }, add(1), end]
  const { id } = await tasksOf(before.api).play(steps, { session_id, background: true })
  await until(() => existsSync(`${file}.begun`))
  await before.stop()

  writeFileSync(file, '')
  const after = await serveHere(t, settings)
  const task = await tasksOf(after.api).becomes(id, 'completed', 'failed', 'paused')
  const holds = readFileSync(trace, 'utf8')
    .split('\n')
    .filter(line => line.startsWith('hold'))
  return { ...after, session_id, task, timesDone: holds.length }
}

t.test('a step that a restart cut off is done again where its actions may be repeated', async t => {
  const after = await stoppedInStep(t, counter)
  t.equal(after.task.status, 'completed')
  t.same(
    resultsOf(after.task).map(({ status }) => status),
    ['completed', 'completed', 'completed'],
  )
  t.match((await envCalls(after.api).add(after.session_id, 0)).body, { step: 4, state: { total: 3 } })
})

t.test('a step that may not be repeated and was cut off is not: its task is paused', async t => {
  for (const env_class_path of [kept, gone]) {
    const { api: again, session_id, task, timesDone } = await stoppedInStep(t, env_class_path)
    t.match(task, { status: 'paused', metadata: { reason: 'outcome_unknown', effect: { name: 'hold' } } })
    t.equal(timesDone, 1, env_class_path)
    const { body } = await envCalls(again).record(session_id)
    if (env_class_path === gone) t.match(body, { is_active: false, close_reason: /restarted/ })
    else t.equal(body.is_active, true)
  }
})

t.test('sessions go on after a restart, and say when their code has changed', async t => {
  const [DATA_DIR, ENV_PATH] = [folderFor(t), folderFor(t)]
  const module = readFileSync(path.join(modules, 'counter.mjs'), 'utf8')
  writeFileSync(path.join(ENV_PATH, 'counter.mjs'), module)
  const settings = { DATA_DIR, ENV_PATH }
  const before = await serveHere(t, settings)
  const there = envCalls(before.api)
  const paths = ['counter.mjs#Counter', 'counter.mjs#Kept', 'gridworld', 'sql', 'chess']
  const sessions: string[] = []
  for (const env_class_path of paths) {
    sessions.push((await there.create({ env_class_path, env_vars: { PASSWORD: 'open' } })).body.session_id)
  }
  const [one = '', two = '', grid = ''] = sessions
  for (const id of [one, two]) {
    await there.reset(id, { seed: 7 })
    await there.step(id, 'draw')
    await there.add(id, 3)
  }
  for (const direction of ['north', 'east', 'east']) await there.step(grid, 'move', { direction })
  const seen = await Promise.all(sessions.map(async id => (await there.observe(id)).body))
  const unbroken = await there.made({ env_class_path: paths[0] })
  await there.reset(unbroken, { seed: 7 })
  const whole = [
    await there.step(unbroken, 'draw'),
    await there.add(unbroken, 3),
    await there.step(unbroken, 'draw'),
  ]
  await before.stop()

  const after = await serveHere(t, settings)
  const again = envCalls(after.api)
  for (const [n, id] of sessions.entries()) t.same((await again.observe(id)).body, seen[n], String(paths[n]))
  for (const id of [one, two]) {
    const next = await again.step(id, 'draw')
    t.equal(next.body.step, 3)
    t.same(next.body.observation.drawn, whole[2]?.body.observation.drawn, 'as if there had been no restart')
  }
  await after.stop()

  writeFileSync(path.join(ENV_PATH, 'counter.mjs'), `${module}// changed\n`)
  const last = await serveHere(t, settings)
  const changed = envCalls(last.api)
  for (const id of [one, two]) {
    const { status, body } = await changed.step(id, 'draw')
    t.equal(status, 409)
    t.match(body, { code: -32023, data: { session_id: id, reason: /^code changed/ } })
    t.match((await changed.record(id)).body, { is_active: true })
  }
  t.equal((await changed.step(grid, 'look')).status, 200, 'what has not changed goes on')
})

t.test('nothing of all that was a fault of ours', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
  t.equal((await post({ agent_config: script(end) })).status, 200)
})
