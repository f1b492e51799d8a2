// An instance in its process: what it is given, what it gives, how it is told to stop, and that it goes when we do.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { EnvironmentGone } from '../../src/contract/environment.ts'
import {
  folderOf,
  givenPrograms,
  here,
  isAlive,
  keeping,
  processesIn,
  resetOf,
  stepOf,
  until,
} from './support.ts'

t.test('an instance sees its own folder, and nothing of ours', async t => {
  process.env.MODEL_API_KEY = 'ours'
  t.teardown(() => Reflect.deleteProperty(process.env, 'MODEL_API_KEY'))
  const { open, folder } = await givenPrograms(t)
  const instance = await open('good/counter.mjs', { kwargs: { from: 5 }, env_vars: { A: 'b' } })
  const dir = path.join(folder, 'instance-0')
  const { state } = await resetOf(instance)
  t.match(state, { made: dir, cwd: dir, home: dir, temporary: path.join(dir, '.tmp') })
  t.same(state.given, { env_vars: { A: 'b' }, dir })
  t.same(state.variables, [
    'HOME',
    'LANG',
    'PATH',
    'PYTHONDONTWRITEBYTECODE',
    'PYTHONHASHSEED',
    'PYTHONUTF8',
    'REPRISE_INSTANCE',
    'TMPDIR',
  ])
  await instance.close()
})

t.test('reset and step give what the author gave, and the rest by default', async t => {
  const { open, onlyLeft } = await givenPrograms(t)
  const instance = await open('good/counter.mjs', { kwargs: { from: 5 } })
  t.equal(instance.recovery, 'snapshot')
  const first = await instance.reset({ seed: 7, options: { from: 8 }, now: 99 })
  t.match(first, { state: { count: 8 }, observation: { count: 8 }, done: false })
  t.match(first.state.begun, [7, Number, 99])
  const said: string[] = []
  const answer = await stepOf(instance, { by: 1 }, { number: 3, emit: text => said.push(text) })
  t.match(answer, {
    status: 'completed',
    content: [{ type: 'text', text: 'go 9' }],
    observation: { seen: 9 },
    state: { count: 9 },
    reward: 0.5,
    done: false,
    info: { random: [0.9307029220583553, 0.9856857323135984], now: 1000 },
    blocks: [{ type: 'count', count: 9 }],
  })
  t.same(said, ['now 9'])
  t.match(await stepOf(instance), { terminated: true, truncated: false, done: true })
  t.equal((await instance.observe()).done, true)
  t.equal((await resetOf(instance)).done, false)
  await instance.close()
  await onlyLeft(0)
})

t.test('a snapshot carries the state to another process, and whether it is done', async t => {
  const { open } = await givenPrograms(t)
  const one = await open('good/counter.mjs')
  await resetOf(one)
  await stepOf(one, { by: 20 })
  const snapshot = JSON.parse(JSON.stringify(await one.snapshot(keeping)))
  await one.close()
  const other = await open('good/counter.mjs')
  await other.restore(snapshot)
  t.match(await other.observe(), { state: { count: 20 }, done: true })
  await other.close()
})

t.test('a class without snapshots gives none', async t => {
  const { open } = await givenPrograms(t)
  const instance = await open('good/common/common.js')
  t.equal(await instance.snapshot(keeping), undefined)
  t.equal((await stepOf(instance)).content, 'common')
  await instance.close()
})

t.test('a step that takes too long is told to stop; one that does lives on', async t => {
  const { open, world } = await givenPrograms(t)
  const instance = await open('good/counter.mjs')
  await resetOf(instance)
  const late = 'the step took longer than 5 s' // the limit of the class itself
  for (const [wait, content] of [
    ['answers', 'stopped early'],
    ['throws', late],
  ]) {
    let isWaiting = false
    const step = stepOf(instance, { wait }, { emit: () => (isWaiting = true) })
    await until(() => isWaiting)
    await world.advance(5000)
    t.match(await step, { status: 'incomplete', content, error: late })
  }
  t.match(await stepOf(instance), { status: 'completed', state: { count: 201 } })
  await instance.close()
})

t.test('a canceled step is told to stop, and one that has not begun never does', async t => {
  const { open } = await givenPrograms(t)
  const instance = await open('good/counter.mjs')
  await resetOf(instance)
  const canceled = new AbortController()
  const first = stepOf(
    instance,
    { wait: 'answers' },
    { signal: canceled.signal, emit: () => canceled.abort() },
  )
  t.match(await first, { status: 'incomplete', content: 'stopped early', error: 'the step was canceled' })
  const second = stepOf(instance, {}, { signal: canceled.signal })
  t.match(await second, { status: 'incomplete', error: 'the step was canceled', state: { count: 100 } })
  t.match(await instance.observe(), { state: { count: 100 } })
  await instance.close()
})

t.test('a program is asked one thing at a time', async t => {
  const { open } = await givenPrograms(t)
  const instance = await open('good/counter.mjs')
  await resetOf(instance)
  const first = stepOf(instance, { by: 1 })
  await t.rejects(stepOf(instance, { by: 2 }), { message: /two things at a time/ })
  t.match(await first, { state: { count: 1 } })
  await instance.close()
  await t.rejects(stepOf(instance, { by: 3 }), { message: 'the environment was closed' })
})

t.test('closing does not wait for a step, and nothing is told as gone', async t => {
  const { open, onlyLeft } = await givenPrograms(t)
  const instance = await open('good/counter.mjs')
  let isWaiting = false
  let isGone = false
  void instance.gone.then(() => (isGone = true))
  const step = stepOf(instance, { wait: 'answers' }, { emit: () => (isWaiting = true) })
  const failed = step.catch((error: Error) => error)
  await until(() => isWaiting)
  await instance.close()
  t.ok((await failed) instanceof EnvironmentGone)
  t.equal(((await failed) as Error).message, 'the environment was closed')
  await instance.close()
  await onlyLeft(0)
  t.notOk(isGone)
})

t.test('all of them go with the service, however it ends, those that never yield too', async t => {
  const folder = folderOf(t)
  const script = path.join(here, 'server.mts')
  const server = spawn(process.execPath, [script, folder], { stdio: 'pipe' })
  t.teardown(() => server.kill('SIGKILL'))
  let said = ''
  server.stdout.on('data', text => (said += text))
  await until(() => said === 'all run\n')
  t.equal(processesIn(folder).length, 7)
  server.kill('SIGKILL')
  await once(server, 'exit')
  await until(() => processesIn(folder).length === 0)
  // The records stay for the next start; whoever is recorded is gone, those that were kept ready too.
  const recorded = readdirSync(path.join(folder, 'children'))
  t.ok(recorded.length >= 4)
  await until(() => !recorded.some(isAlive))
})
