// A disk without room, made of a small tmpfs: only root may do that.
import { copyFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { refusedStart, serveHere, spawnServer } from '../support/server.ts'
import { fill, free, noMount, smallDisk } from '../support/small-disk.ts'
import { flawsOf } from './stored-log.ts'
import {
  allTasks,
  createTask,
  framesOf,
  getTask,
  play,
  Refused,
  saidBy,
  sleep,
  type Task,
  until,
  untilStatus,
} from './wire.ts'

const hello = { user_message_content: 'hello', stream: false, client_id: 'echo' }

t.test(
  'with a full disk, reads go on and creates say so; with room again, work goes on by itself',
  async t => {
    const dataDir = smallDisk(t, 24)
    if (dataDir === undefined) return void t.pass(noMount, { skip: noMount })
    const server = await spawnServer(t, dataDir)
    const { api, url } = server
    const before = []
    for (let n = 0; n < 10; n++) before.push(await createTask(api, hello))
    const script = [{ sleep_ms: 400 }, { message: 'first' }, { sleep_ms: 400 }, { message: 'second' }]
    const under = await play(api, script, { session_id: 'line' })
    const behind = await createTask(api, { ...hello, session_id: 'line', background: true })
    fill(dataDir)

    // What fits into the blocks that the files hold already may still be accepted; then it stays accepted.
    const accepted: Task[] = []
    const refused = await until('a create is refused', async () => {
      const answer = await api('POST', '/tasks', hello, { 'x-request-id': 'full-1' })
      if (answer.status !== 200) return answer
      accepted.push(((await answer.json()) as { result: Task }).result)
      return undefined
    })
    t.equal(refused.status, 503)
    t.match(refused.headers.get('retry-after'), /^\d+$/)
    t.match(await refused.json(), { jsonrpc: '2.0', id: 'full-1', error: { code: -32603 } })
    await sleep(1500) // long enough for it to try again by itself, and fail
    for (const body of [hello, { ...hello, stream: true }, { ...hello, env: { KEY: 'value' } }]) {
      const answer = await api('POST', '/tasks', body)
      t.equal(answer.status, 503, `a create of ${Object.keys(body)}`)
      t.match(await answer.json(), { error: { code: -32603 } })
    }
    t.equal((await api('POST', '/auth/tokens', { role: 'user' })).status, 503)
    t.equal((await fetch(`${url}/healthz`)).status, 200)
    const ready = await fetch(`${url}/readyz`)
    t.equal(ready.status, 503)
    t.match(await ready.json(), { status: 'not ready', log: 'failing' })
    for (const task of before) t.same(await getTask(api, task.id), task)
    // Lists go on too, unless the log had room for events for which the read models had none (decision 12).
    const listed = await allTasks(api).catch((error: Refused) => error)
    if (listed instanceof Refused) t.match(listed, { status: 503, message: /lists are catching up/ })
    else t.ok(listed.length >= before.length + 2)
    t.equal((await framesOf(api, before[0]?.id ?? '')).at(-1)?.type, 'task.completed')

    free(dataDir)
    await until('creates work again', async () => (await api('POST', '/tasks', hello)).status === 200)
    t.equal((await fetch(`${url}/readyz`)).status, 200)
    t.same(saidBy(await untilStatus(api, under.id, 'completed')), ['first', 'second'])
    t.same(saidBy(await untilStatus(api, behind.id, 'completed')), ['hello'])
    for (const task of [...before, ...accepted]) t.equal((await getTask(api, task.id)).status, 'completed')

    fill(dataDir)
    await until('a create is refused again', async () => (await api('POST', '/tasks', hello)).status === 503)
    t.match(await server.end('SIGTERM'), [0, null], 'it can be stopped while the disk is full')
    t.ok(server.stderr().split('\n').length < 20, `it is not noisy about it: ${server.stderr()}`)

    // The end removed files and may have moved the write-ahead logs: a start must not live on the room of these.
    fill(dataDir)
    const { code, stdout, stderr } = await refusedStart(dataDir)
    t.match({ code, stdout }, { code: 75, stdout: '' })
    t.match(stderr, /^reprise: .*the disk is full.*\n$/, 'a start says what is wrong')
    t.notMatch(stderr, /damaged|backup|remove/)

    free(dataDir)
    t.same(flawsOf(dataDir), [])
    const next = await spawnServer(t, dataDir)
    for (const task of before) t.same(await getTask(next.api, task.id), task)
    await next.end('SIGTERM')
  },
)

t.test(
  'when only the read models have no room, lists say so until they have caught up by themselves',
  async t => {
    const disk = smallDisk(t, 8)
    if (disk === undefined) return void t.pass(noMount, { skip: noMount })
    const dataDir = t.testdir()
    await (await serveHere(t, { DATA_DIR: dataDir })).stop()
    const [here, there] = [dataDir, disk].map(folder => path.join(folder, 'read.db')) as [string, string]
    copyFileSync(here, there)
    rmSync(here)
    symlinkSync(there, here)
    const { api, url } = await serveHere(t, { DATA_DIR: dataDir })
    const known = await createTask(api, hello)
    fill(disk)
    const behind = await until('the read models are behind', async () => {
      const created = await createTask(api, { ...hello, user_message_content: 'x'.repeat(5000) })
      return (await api('GET', '/tasks')).status === 503 && created
    })
    t.equal(behind.status, 'completed', 'the create was answered: the log holds it')
    t.match(await (await fetch(`${url}/readyz`)).json(), { log: 'ok', read_models: 'behind' })
    t.same(await getTask(api, behind.id), behind, 'a task without a row is read from the log')
    t.equal((await framesOf(api, behind.id)).at(-1)?.type, 'task.completed')
    t.same(await getTask(api, known.id), known)
    t.equal((await api('GET', `/tasks/${known.id.slice(0, -1)}`)).status, 404)
    const removed = await createTask(api, hello)
    t.equal((await api('DELETE', `/tasks/${removed.id}`)).status, 200)
    t.equal((await api('GET', `/tasks/${removed.id}`)).status, 404, 'unless it was deleted')
    const again = () => api('POST', '/tasks', hello, { 'idempotency-key': 'once' })
    const twice = [await again(), await again()].filter(({ status }) => status !== 503)
    const ids = await Promise.all(
      twice.map(async answer => ((await answer.json()) as { result: { id: string } }).result.id),
    )
    t.ok(new Set(ids).size <= 1, 'a key still makes one task, or none')
    free(disk)
    await until('lists are back', async () => (await api('GET', '/tasks')).status === 200)
    t.same(await getTask(api, behind.id), behind)
    t.same(await getTask(api, known.id), known)
  },
)

t.test('a create of a session on a full disk is told to try again, and blames no caller', async t => {
  const disk = smallDisk(t, 8)
  if (disk === undefined) return void t.pass(noMount, { skip: noMount })
  const { api } = await spawnServer(t, path.join(disk, 'data'))
  fill(disk)
  for (const body of [{ env_id: 'gridworld' }, { env_class_path: 'sql' }])
    t.equal((await api('POST', '/env/create', body)).status, 503, JSON.stringify(body))
  free(disk)
  await until('there is room again', async () => {
    const { status } = await api('POST', '/env/create', { env_id: 'gridworld' })
    return status === 200
  })
})
