// A real server that is killed while environments are in the middle of a step: nothing that may not be repeated is
// repeated without a word, whether a task asked for the step or somebody over HTTP.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { resultsOf, script, tasksOf, textsOf } from '../http/agent-tasks.ts'
import { counter, envCalls, gone, kept, modules } from '../http/env-calls.ts'
import { until } from '../support/http.ts'
import { launch } from '../support/server.ts'

const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-cut-off-'))
const file = (name: string) => path.join(dataDir, name)
const env = { ENV_PATH: modules, LOG_LEVEL: 'error' }
const kinds = { counter, kept, gone }
/** Sessions of tasks, and those that are stepped over HTTP. */
const ofTasks = ['counter', 'kept', 'kept-supplied', 'gone', 'gone-again', 'gone-supplied']
const overHttp = ['http-counter', 'http-kept', 'http-gone']
const classOf = (id: string) => kinds[id.replace('http-', '').replace(/-.*/, '') as keyof typeof kinds]
/** How often a session has really done its step. */
const timesDone = (id: string) =>
  readFileSync(file(`${id}.trace`), 'utf8')
    .split('\n')
    .filter(line => line.startsWith('hold')).length
const stepOf = (id: string) => ({ session_id: id, tool_name: 'hold', tool_args: { file: file(`${id}.go`) } })

const before = await launch(dataDir, env)
let server = before
t.teardown(async () => {
  await server.end('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
})

const taskIds = new Map<string, string>()
{
  const sessions = envCalls(before.api)
  const tasks = tasksOf(before.api)
  for (const session_id of [...ofTasks, ...overHttp]) {
    const env_init_kwargs = { trace: file(`${session_id}.trace`) }
    await sessions.made({ session_id, env_class_path: classOf(session_id), env_init_kwargs })
  }
  for (const session_id of ofTasks) {
    const hold = { tool: 'hold', arguments: stepOf(session_id).tool_args }
    const { id } = await tasks.play([hold, { message: 'so: $result' }], { session_id, background: true })
    taskIds.set(session_id, id)
  }
  for (const id of overHttp) {
    const keys = { 'idempotency-key': id, 'x-request-id': `first of ${id}` }
    sessions.call('POST', '/env/step', stepOf(id), keys).catch(() => {})
  }
  await until(() => [...ofTasks, ...overHttp].every(id => existsSync(file(`${id}.go.begun`))))
  await before.end('SIGKILL')
  for (const id of [...ofTasks, ...overHttp]) writeFileSync(file(`${id}.go`), '')
  server = await launch(dataDir, env)
}
const sessions = envCalls(server.api)
const tasks = tasksOf(server.api)
const taskOf = (session: string) => taskIds.get(session) ?? ''
const paused = async (session: string) => {
  const task = await tasks.becomes(taskOf(session), 'paused', 'completed', 'failed')
  t.match(
    task,
    {
      status: 'paused',
      metadata: { reason: 'outcome_unknown', effect: { name: 'hold', call_id: /^call_/ } },
    },
    session,
  )
  t.equal(timesDone(session), 1, `${session}: nothing was done again`)
  return task
}
const supplied = { message_content: 'I looked: it happened', block_list: [] }

t.test('a step of an environment that declares its actions repeatable is done again', async t => {
  const task = await tasks.becomes(taskOf('counter'), 'paused', 'completed', 'failed')
  t.equal(task.status, 'completed')
  t.match(textsOf(task)[0], /^so: (holding\n)?it is 1 now/)
  t.equal(timesDone('counter'), 2)
})

t.test('a task whose step was cut off is paused, and resume takes the step', async t => {
  const { id } = await paused('kept')
  t.match((await sessions.observe('kept')).body.state, { total: 0 }, 'the session is as it was before')
  t.equal((await tasks.act(id, 'resume')).status, 200)
  const task = await tasks.becomes(id, 'completed', 'failed')
  t.match(textsOf(task)[0], /^so: (holding\n)?it is 1 now/)
  t.match(resultsOf(task), [{ status: 'completed' }])
  t.equal(timesDone('kept'), 2)
  t.equal((await sessions.add('kept', 1)).body.step, 3, 'the step that was cut off has its number')
})

t.test('or its result is supplied, and the step is not taken', async t => {
  for (const session of ['kept-supplied', 'gone-supplied']) {
    const { id, metadata } = await paused(session)
    const { call_id } = (metadata?.effect ?? {}) as { call_id?: string }
    t.equal((await tasks.answer(id, { call_id, ...supplied })).status, 200)
    t.same(textsOf(await tasks.becomes(id, 'completed', 'failed')), ['so: I looked: it happened'])
    t.equal(timesDone(session), 1)
    t.equal((await tasks.answer(id, { call_id, ...supplied })).status, 200, 'the same answer again')
    const other = await tasks.answer(id, { call_id, ...supplied, message_content: 'it did not' })
    t.match(other, { status: 400, body: { code: -32022 } })
  }
})

t.test('a session that does not come back is closed; resume says so, or uses a new one', async t => {
  const { id } = await paused('gone')
  t.match((await sessions.record('gone')).body, { is_active: false, close_reason: /restarted/ })
  await tasks.act(id, 'resume')
  const told = await tasks.becomes(id, 'completed', 'failed')
  t.match(resultsOf(told), [{ status: 'incomplete', message_content: /closed/ }])

  const again = await paused('gone-again')
  const env_init_kwargs = { trace: file('gone-again.trace') }
  await sessions.made({ session_id: 'gone-again', env_class_path: gone, env_init_kwargs })
  await tasks.act(again.id, 'resume')
  t.match(textsOf(await tasks.becomes(again.id, 'completed', 'failed'))[0], /^so: (holding\n)?it is 1 now/)
  t.equal(timesDone('gone-again'), 2)
})

t.test('over HTTP whoever asks again by the same key learns that nobody knows', async t => {
  const again = (id: string) => sessions.call('POST', '/env/step', stepOf(id), { 'idempotency-key': id })
  const unknown = {
    step: 1,
    tool_result: { status: 'incomplete', message_content: /^the outcome of this step is unknown/ },
    info: { error: /is unknown/, outcome_unknown: true },
  }
  const first = await again('http-kept')
  t.equal(first.status, 200)
  t.match(first.body, { ...unknown, done: false, truncated: false, state: { total: 0 } })
  t.equal(first.headers.get('idempotency-replayed'), 'true')
  t.same((await again('http-kept')).body, first.body, 'and is answered the same again')
  t.equal(timesDone('http-kept'), 1)
  t.match((await sessions.call('POST', '/env/step', stepOf('http-kept'))).body, {
    step: 2,
    state: { total: 1 },
    tool_result: { status: 'completed' },
  })

  t.match((await again('http-gone')).body, { ...unknown, done: true, truncated: true })
  t.equal(timesDone('http-gone'), 1)
  t.match((await again('http-counter')).body, { step: 1, tool_result: { status: 'completed' } })

  const { body } = await sessions.call('GET', '/audit/events?stream=env-http-kept&limit=10')
  const events = (body as unknown as { data: { type: string; causation_id: string }[] }).data
  t.match(
    events.filter(({ causation_id }) => causation_id === 'first of http-kept').map(({ type }) => type),
    ['EnvStepIntended', 'EnvStepCompleted'],
    'the log says whose request it was',
  )
})

t.test('a call without a key is told the number of the step that was cut off', async t => {
  const { status, body } = await sessions.step('kept-supplied', 'add', { by: 1 }, { expected_step: 1 })
  t.equal(status, 409)
  t.match(body, { data: { expected_step: 1, step: 1 } })
  t.equal((await tasks.post({ agent_config: script({ message: 'x' }) })).status, 200)
})
