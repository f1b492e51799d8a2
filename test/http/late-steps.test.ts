// Steps that take longer than they may, really: what they answer, and what becomes of the session, also over a restart.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { serveHere } from '../support/server.ts'
import { decode } from '../support/sse.ts'
import { resultsOf, tasksOf } from './agent-tasks.ts'
import { envCalls } from './env-calls.ts'

const ENV_PATH = path.resolve(import.meta.dirname, '../environments/late')
// Long enough for a step that does nothing, also on a busy machine.
const settings = { ENV_PATH, ENV_STEP_TIMEOUT_MS: '3000', DRAIN_SECONDS: '0' }
const { api, lines } = await serveHere(t, settings)
const env = envCalls(api)
const { made, step, record, observe, create } = env
t.afterEach(() => env.call('POST', '/env/sessions/cleanup?inactive_seconds=0'))

const late = 'the step took longer than 3 s'
const lost = "the environment's step took longer than 3 s and did not stop when it was told to"
const of = (name: string) => ({ env_class_path: `late#${name}` })

const folderFor = (t: Test): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-late-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

t.test('a step that stops when it is told to is one that failed, and the session goes on', async t => {
  const take = async (name: string) => {
    const id = await made(of(name))
    const stopped = { tool_result: { status: 'incomplete', message_content: late }, info: { error: late } }
    const on = { truncated: false, done: false }
    t.match(await step(id, 'heed'), {
      status: 200,
      body: { ...stopped, ...on, step: 1, state: { count: 0 } },
    })
    t.match(await step(id, 'half'), { body: { ...stopped, ...on, step: 2, state: { count: 100 } } })
    const finished = {
      tool_result: { status: 'incomplete', message_content: '101 by now' },
      info: { error: late },
    }
    t.match(await step(id, 'finish'), { body: { ...finished, ...on, step: 3, state: { count: 101 } } })
    t.match(await step(id, 'count'), { body: { step: 4, info: {}, state: { count: 102 } } })
    t.match((await record(id)).body, { is_active: true }, name)
  }
  await Promise.all(['Late', 'Kept', 'Gone'].map(take))
})

t.test('streamed, it ends with the same answer', async t => {
  const id = await made(of('Late'))
  const { text, status } = await step(id, 'heed', {}, { stream: true })
  t.equal(status, 200)
  const frames = decode(text).events.map(({ data }) => JSON.parse(data).result)
  t.match(frames, [
    { type: 'step.started', step: 1 },
    { type: 'step.output.delta', delta: 'heed ' },
    { type: 'step.completed', step: 1, info: { error: late }, done: false },
  ])
})

t.test('one that does not stop is ended, and the session with it; created again, it goes on', async t => {
  const sessions = [
    ['Late', 'hang'],
    ['Late', 'spin'],
    ['Kept', 'hang'],
    ['Gone', 'hang'],
  ] as const
  await Promise.all(
    sessions.map(async ([name, tool]) => {
      const what = `${name}: ${tool}`
      const id = await made(of(name))
      await step(id, 'count')
      const answer = await step(id, tool)
      t.equal(answer.status, 200, what)
      t.match(answer.body, {
        step: 2,
        tool_result: { status: 'incomplete', message_content: lost },
        info: { error: lost },
        state: { count: 1 },
        terminated: false,
        truncated: true,
        done: true,
      })
      t.match((await record(id)).body, { is_active: false, close_reason: lost })
      for (const refused of [await step(id, 'count'), await observe(id)]) {
        t.equal(refused.status, 404, what)
        t.match(refused.body, { code: -32025, data: { reason: lost } })
      }
      const again = await create({ session_id: id, ...of(name) })
      t.match(again.body, { session_id: id, initial_state: { count: 0 }, done: false })
      t.match((await step(id, 'count')).body, { step: 3, state: { count: 1 } }, 'its steps count on')
    }),
  )
})

t.test('an environment may have a limit of its own', async t => {
  const id = await made(of('Slow'))
  t.equal((await step(id, 'heed')).body.info.error, 'the step took longer than 1.5 s')
})

t.test('a task is told that its step took too long, and goes on where the session does', async t => {
  const { play } = tasksOf(api)
  const session_id = await made(of('Late'))
  const task = await play([{ tool: 'heed' }, { tool: 'count' }, { message: 'over' }], { session_id })
  t.equal(task.status, 'completed')
  t.match(resultsOf(task), [
    { status: 'incomplete', message_content: `heed \n${late}` },
    { status: 'completed', message_content: /^count \n1 by now/ },
  ])
})

t.test('after a restart each session is where its last step left it', async t => {
  const DATA_DIR = folderFor(t)
  const before = await serveHere(t, { ...settings, DATA_DIR })
  const there = envCalls(before.api)
  const tools = ['count', 'heed', 'half', 'finish', 'count']
  const take = async (name: string, tools: string[]) => {
    const id = await there.made(of(name))
    for (const tool of tools) await there.step(id, tool)
    return id
  }
  const [late, kept, gone, fickle, hung] = await Promise.all([
    take('Late', tools),
    take('Kept', tools),
    take('Gone', ['count']),
    take('Fickle', ['half']),
    take('Late', ['hang']),
  ])
  await before.stop()

  const after = await serveHere(t, { ...settings, DATA_DIR })
  const again = envCalls(after.api)
  const goesOn = async (id: string) => {
    t.match((await again.observe(id)).body, { state: { count: 103 }, done: false })
    t.match((await again.step(id, 'count')).body, { step: 6, state: { count: 104 } })
  }
  const isLost = async () =>
    t.equal((await again.step(fickle, 'count')).status, 404, 'one that cannot be where it was')
  await Promise.all([goesOn(late), goesOn(kept), isLost()])
  t.match((await again.record(gone)).body, { is_active: false, close_reason: /does not come back/ })
  t.match((await again.record(fickle)).body, {
    is_active: false,
    close_reason:
      'the server repeated the steps of the session, and the environment showed something else at step 1',
  })
  t.match((await again.record(hung)).body, { is_active: false, close_reason: lost })
  t.equal((await again.step(hung, 'count')).status, 404)
  await again.create({ session_id: hung, ...of('Late') })
  t.match((await again.step(hung, 'count')).body, { step: 2, state: { count: 1 } })
})

t.test('nothing of all that was a fault of ours', async t => {
  t.same(
    lines.filter(({ level }) => level === 'error'),
    [],
  )
})
