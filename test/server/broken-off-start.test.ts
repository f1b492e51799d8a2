// A signal while the server starts: the start ends, the folder is free, and nothing in it is half made.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { runReprise, spawnServer } from '../support/server.ts'
import { beginBy, serving } from './started-by.ts'
import { storedEvents } from './stored-log.ts'
import { allTasks, createTask, sleep } from './wire.ts'

/** Milliseconds after the start of the process. A start takes about half a second. */
const moments = [0, 30, 60, 90, 120, 160, 200, 250, 300, 400, 500, 650]
const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const
/** The exit code when the server hears the signal, and when this process or the system does before it has begun. */
const codes = { SIGTERM: [0, 143], SIGHUP: [0, 129], SIGINT: [0, 130] }

const breakOff = async (t: Test, dataDir: string, ms: number, signal: (typeof signals)[number]) => {
  const start = beginBy(t, serving, dataDir)
  await sleep(ms)
  process.kill(start.pid, signal)
  const [code, by] = await start.exited
  t.ok(codes[signal].includes(code ?? -1) || by === signal, `after ${ms} ms of ${signal}: ${code ?? by}`)
  t.notOk(existsSync(path.join(dataDir, 'server.json')), 'no address is left')
  return start.stderr()
}

t.test('at any moment of a start on a folder with tasks', async t => {
  const dataDir = t.testdir()
  const first = await spawnServer(t, dataDir)
  for (const text of ['one', 'two'])
    await createTask(first.api, { user_message_content: text, client_id: 'echo' })
  const tasks = await allTasks(first.api)
  await first.end('SIGTERM')
  const events = storedEvents(dataDir)
  for (const [n, ms] of moments.entries()) {
    const said = await breakOff(t, dataDir, ms, signals[n % signals.length] ?? 'SIGTERM')
    t.match(said, /^$|^the start is broken off\n$|^draining 0 running tasks/)
  }
  t.same(storedEvents(dataDir), events, 'the log is as it was')
  const next = await spawnServer(t, dataDir)
  t.same(await allTasks(next.api), tasks)
})

t.test('at any moment of the first start on an empty folder', async t => {
  for (const [n, ms] of moments.entries()) {
    const dataDir = path.join(t.testdirName, 'data')
    t.testdir({})
    await breakOff(t, dataDir, ms, signals[n % signals.length] ?? 'SIGTERM')
    const next = await spawnServer(t, dataDir, { ADMIN_TOKEN: '' })
    const token = readFileSync(path.join(dataDir, 'admin-token'), 'utf8').trim()
    const answer = await fetch(`${next.url}/v1/tasks`, { headers: { authorization: `Bearer ${token}` } })
    t.equal(answer.status, 200)
    t.same(await next.end('SIGTERM'), [0, null])
    t.match(await runReprise(['replay', '--all'], { DATA_DIR: dataDir }), { code: 0 })
  }
})
