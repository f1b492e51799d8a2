// No process of ours outlives us, and none that is not ours is ever touched.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { type Child, openChildren } from '../../src/platform/children/children.ts'
import { until } from '../support/http.ts'
import { folderOf, isAlive, linesOf } from './support.ts'

const node = (script: string) => ({
  command: process.execPath,
  args: ['-e', script],
  env: { PATH: process.env.PATH ?? '' },
})
/** Says its pid and that of a process that it has started itself, then stays. */
const family = node(`
  const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  console.log(process.pid + ' ' + child.pid)
  setInterval(() => {}, 1000)`)
const stubborn = node(
  `process.on('SIGTERM', () => {}); console.log(process.pid); setInterval(() => {}, 1000)`,
)

const pidsOf = async (child: Child): Promise<number[]> => {
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  return `${said}`.trim().split(' ').map(Number)
}
const opened = async (t: Test, folder: string) => {
  const children = await openChildren(folder)
  t.teardown(children.close)
  return children
}

t.test('a process is ended with all that it has started, and its record with it', async t => {
  const folder = folderOf(t)
  const children = await opened(t, folder)
  const child = await children.start(family)
  const pids = await pidsOf(child)
  t.same(readdirSync(folder), [String(child.pid)])
  await children.end(child)
  await until(() => !pids.some(isAlive) && readdirSync(folder).length === 0)
  await children.end(child)
})

t.test('one that does not want to go is killed after a second', async t => {
  const children = await opened(t, folderOf(t))
  const child = await children.start(stubborn)
  await pidsOf(child)
  const started = performance.now()
  await children.close()
  t.equal(child.signalCode, 'SIGKILL')
  t.ok(performance.now() - started > 900)
  await t.rejects(children.start(stubborn), { message: 'the server is shutting down' })
})

t.test('one that ends by itself takes what it has started with it', async t => {
  const folder = folderOf(t)
  const children = await opened(t, folder)
  const child = await children.start(family)
  const pids = await pidsOf(child)
  process.kill(pids[0] ?? 0, 'SIGKILL')
  await until(() => !pids.some(isAlive) && readdirSync(folder).length === 0)
})

t.test('one that cannot be started is an error, and leaves nothing', async t => {
  const folder = path.join(folderOf(t), 'children')
  const children = await opened(t, folder)
  await t.rejects(children.start({ command: '/nowhere/at-all', args: [], env: {} }), { code: 'ENOENT' })
  t.notOk(existsSync(folder))
})

t.test('none runs that cannot be recorded', async t => {
  const folder = path.join(folderOf(t), 'children')
  const children = await opened(t, folder)
  writeFileSync(folder, 'no folder')
  const file = path.join(folderOf(t), 'pid')
  const saysPid = node(
    `setInterval(() => require('node:fs').writeFileSync('${file}', process.pid + '\\n'), 1)`,
  )
  await t.rejects(children.start(saysPid), { code: 'EEXIST' })
  await children.close()
  t.notOk(linesOf(file).some(pid => isAlive(Number(pid))))
})

/** Another process of ours, which starts a child and stays; the pids of both. */
const anotherLife = async (t: Test, folder: string, ending: string) => {
  const module = path.resolve(import.meta.dirname, '../../src/platform/children/children.ts')
  const script = `
    import { openChildren } from ${JSON.stringify(module)}
    const children = await openChildren(${JSON.stringify(folder)})
    const child = await children.start({ command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], env: {} })
    console.log(child.pid)
    ${ending}`
  const life = spawn(process.execPath, ['--input-type=module', '-e', script])
  t.teardown(() => life.kill('SIGKILL'))
  const exited = once(life, 'exit')
  const [said] = (await once(life.stdout, 'data')) as [Buffer]
  return { life, exited, child: Number(`${said}`) }
}

/** The process that started another one. */
const parentOf = (pid: number): number =>
  Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])

t.test('what a killed server has left running is killed at once', async t => {
  const { life, exited, child } = await anotherLife(t, folderOf(t), 'setInterval(() => {}, 1000)')
  const nursery = parentOf(child)
  t.not(nursery, life.pid, 'another process has started it')
  life.kill('SIGKILL')
  await exited
  await until(() => !isAlive(child) && !isAlive(nursery))
})

t.test('and at the next start, where the process that started it was killed too', async t => {
  const folder = folderOf(t)
  const { life, exited, child } = await anotherLife(t, folder, 'setInterval(() => {}, 1000)')
  const nursery = parentOf(child)
  process.kill(nursery, 'SIGSTOP')
  life.kill('SIGKILL')
  await exited
  process.kill(nursery, 'SIGKILL')
  await until(() => !isAlive(nursery))
  t.ok(isAlive(child))
  const children = await opened(t, folder)
  t.equal(children.killed, 1)
  t.notOk(isAlive(child))
  t.same(readdirSync(folder), [])
})

t.test('a server that ends in a hurry takes its processes with it', async t => {
  const { exited, child } = await anotherLife(t, folderOf(t), 'process.exit(1)')
  await exited
  await until(() => !isAlive(child))
})

t.test('a process that has only the number of a recorded one is left alone', async t => {
  const folder = path.join(folderOf(t), 'children')
  mkdirSync(folder)
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true })
  t.teardown(() => stranger.kill('SIGKILL'))
  await once(stranger, 'spawn')
  for (const [name, record] of [
    [String(stranger.pid), 'another boot 12345'],
    ['0', ''],
    ['-1', 'x'],
    ['1', 'x'],
    ['no number', 'x'],
  ] as const)
    writeFileSync(path.join(folder, name), record)
  const children = await opened(t, folder)
  t.equal(children.killed, 0)
  t.ok(isAlive(stranger.pid ?? 0))
  t.same(readdirSync(folder), [])
})

t.test('processes end with the one that started them, and the next one starts as usual', async t => {
  const folder = folderOf(t)
  const children = await opened(t, folder)
  const child = await children.start(family)
  const pids = await pidsOf(child)
  const ended = once(child, 'exit')
  process.kill(parentOf(child.pid), 'SIGKILL')
  t.same(await ended, [null, 'SIGKILL'])
  await until(() => !pids.some(isAlive) && readdirSync(folder).length === 0)
  const next = await children.start(family)
  t.equal((await pidsOf(next))[0], next.pid)
})

t.test('one that ends at once has said what it said, and how it ended', async t => {
  const children = await opened(t, folderOf(t))
  const script =
    "process.stdout.write('x'.repeat(100_000)); process.stderr.write('sorry'); process.exitCode = 3"
  for (let n = 0; n < 5; n++) {
    const child = await children.start(node(script))
    const texts = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', chunk => (texts[name] += chunk))
    t.same(await once(child, 'exit'), [3, null])
    if (!child.stdout.destroyed || !child.stderr.destroyed) await once(child, 'close')
    t.equal(texts.stdout.length, 100_000)
    t.equal(texts.stderr, 'sorry')
  }
})

t.test('what is written to it arrives, and so does the end of that', async t => {
  const children = await opened(t, folderOf(t))
  const child = await children.start(node('process.stdin.pipe(process.stdout)'))
  let text = ''
  child.stdout.on('data', chunk => (text += chunk))
  child.stdin.write('one ')
  child.stdin.end('y'.repeat(200_000))
  await once(child, 'close')
  t.equal(text.length, 200_004)
  t.equal(child.exitCode, 0)
})
