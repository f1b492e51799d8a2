// The server as the first process of a container: it hears signals, and no ended process stays behind as a zombie. A
// process namespace of its own plays the container.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { spawnServer } from '../support/server.ts'
import { beginBy, root, serving, startBy } from './started-by.ts'
import { ask, play, sleep, until } from './wire.ts'

const container = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']
const [program = '', ...options] = container
const noContainer =
  spawnSync(program, [...options, 'true']).status === 0 ? false : 'no process namespace can be made here'

/** The command of the image, which the Dockerfile names last. */
const ofImage: string[] = JSON.parse(
  readFileSync(path.join(root, 'Dockerfile'), 'utf8').match(/^CMD (\[.*\])$/m)?.[1] ?? '[]',
)
const starts: [string, string[]][] = [
  ['reprise serve alone', serving],
  ['the command of the image', ofImage],
  ['the command of the image below an init process', ['sh', 'bin/as-process-1.sh', ...ofImage]],
]

const statusOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}
const parentOf = (pid: number): number => Number(statusOf(pid).match(/^PPid:\t(\d+)$/m)?.[1])
const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && parentOf(pid) === parent)
/** The first process of the container, as it is known outside. */
const firstOf = (unshare: number): number => childrenOf(unshare)[0] ?? 0
/** Whether a process is the shell that passes on signals, and has a handler for SIGTERM. */
const passesOn = (pid: number): boolean => {
  const status = statusOf(pid)
  const mask = status.match(/^SigCgt:\t(\w+)$/m)?.[1] ?? '0'
  return /^Name:\t(sh|dash|bash|busybox)$/m.test(status) && (BigInt(`0x${mask}`) & (1n << 14n)) !== 0n
}

/** An environment whose step leaves a process behind, which ends when there is a file `end`. */
const leaver = `import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
export class Leaver {
  constructor({ end }) { this.end = end }
  reset() {}
  step() {
    const orphan = 'while [ ! -e "' + this.end + '" ]; do sleep 0.05; done'
    spawnSync('sh', ['-c', '(' + orphan + ') > /dev/null 2>&1 &'])
    return { content: 'left' }
  }
  observe() { return {} }
  tools() { return [{ type: 'function', function: { name: 'leave', parameters: { type: 'object' } } }] }
}`

/** Takes a step that leaves a process behind. Resolves to this process, of which the first process is the parent now. */
const leaveProcess = async (api: Awaited<ReturnType<typeof startBy>>['api'], end: string, first: number) => {
  const session_id = 'leaver'
  const create = { session_id, env_class_path: 'leaver#Leaver', env_init_kwargs: { end } }
  await ask(api, 'POST', '/env/create', create)
  const before = childrenOf(first)
  await ask(api, 'POST', '/env/step', { session_id, tool_name: 'leave', tool_args: {} })
  const adopted = () => childrenOf(first).find(pid => !before.includes(pid))
  return until('the first process is its parent', adopted)
}

for (const [name, command] of starts) {
  t.test(`${name} as process 1 leaves no zombie, and drains at SIGTERM`, { skip: noContainer }, async t => {
    const folder = t.testdir({ data: {}, envs: { 'leaver.mjs': leaver } })
    const env = { ENV_PATH: path.join(folder, 'envs') }
    const server = await startBy(t, [...container, ...command], path.join(folder, 'data'), env)
    const first = firstOf(server.pid)
    const end = path.join(folder, 'end')
    const orphan = await leaveProcess(server.api, end, first)
    writeFileSync(end, '')
    await until('nothing is left of it', () => !existsSync(`/proc/${orphan}`))
    await ask(server.api, 'POST', '/env/close', { session_id: 'leaver' })
    const isZombie = (pid: number) => /^State:\tZ/m.test(statusOf(pid))
    await until('no child of the first process is a zombie', () => !childrenOf(first).some(isZombie))
    process.kill(first, 'SIGUSR1')
    await play(server.api, [{ sleep_ms: 300 }])
    t.ok(existsSync(`/proc/${first}`), 'SIGUSR1 ends nothing')
    process.kill(first, 'SIGTERM')
    t.same(await server.exited, [0, null])
    t.notOk(existsSync(path.join(folder, 'data/server.json')))
  })

  t.test(`${name} as process 1 hears SIGTERM during the start`, { skip: noContainer }, async t => {
    const dataDir = path.join(t.testdir({ data: {} }), 'data')
    for (const ms of [0, 50, 100, 200, 300]) {
      const start = beginBy(t, [...container, ...command], dataDir)
      await until('it hears signals', () => passesOn(firstOf(start.pid)))
      await sleep(ms)
      process.kill(firstOf(start.pid), 'SIGTERM')
      const [code] = await Promise.race([start.exited, sleep(30_000).then(() => ['still runs'] as const)])
      t.ok(code === 0 || code === 143, `${code}, ${ms} ms later`)
    }
    const next = await spawnServer(t, dataDir)
    t.same(await next.end('SIGTERM'), [0, null], 'the folder is free and whole')
  })
}

t.test('SIGUSR1 ends neither the script nor its command', async t => {
  const folder = t.testdir()
  const [heard, end] = [path.join(folder, 'heard'), path.join(folder, 'end')]
  const script = `touch '${heard}'; while [ ! -e '${end}' ]; do sleep 0.02; done; exit 7`
  const run = spawn('sh', ['bin/as-process-1.sh', 'sh', '-c', script], { cwd: root })
  const exited = once(run, 'exit')
  await until('the command runs', () => existsSync(heard))
  run.kill('SIGUSR1')
  await Promise.race([exited, sleep(200)]) // a script that ends would have ended by then
  writeFileSync(end, '')
  t.same(await exited, [7, null])
})

t.test('the exit code of the command is that of the container', { skip: noContainer }, async t => {
  for (const [script, expected] of [
    ['exit 0', 0],
    ['exit 2', 2],
    ['kill -9 $$', 137],
    ['no-such-program', 127],
  ] as const) {
    const run = spawnSync(program, [...options, 'sh', 'bin/as-process-1.sh', 'sh', '-c', script], {
      cwd: root,
    })
    t.equal(run.status, expected, script)
  }
})
