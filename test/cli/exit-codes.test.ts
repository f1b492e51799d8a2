// The exit codes, and who acts on them: the documentation, the help and the units in deploy/ say the same as the code. A
// supervisor starts again what may pass, and leaves alone what cannot.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import t from 'tap'
import { endings, exitCodeOf, NoAnswer, NotReached } from '../../src/cli/terminal/exit.ts'
import { clusterOf } from '../../src/cluster/settings.ts'
import { CannotStart, NotNow } from '../../src/contract/cannot-start.ts'
import { freePort } from '../../src/platform/free-port.ts'
import { lockData } from '../../src/shard/opening/folder-lock.ts'
import { refusedStart, spawnServer } from '../support/server.ts'
import { fill, noMount, smallDisk } from '../support/small-disk.ts'

const root = path.resolve(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(path.join(root, file), 'utf8')
const unit = textOf('deploy/reprise.service')

/** The values of a setting in a unit of systemd. */
const settings = (name: string): string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].flatMap(([, value = '']) => value.split(/\s+/))
const never = settings('RestartPreventExitStatus').map(Number)
/** Whether systemd starts the unit again after an exit code, by the rules of Restart=on-failure. */
const startsAgain = (code: number | null): boolean => code !== 0 && !never.includes(code ?? -1)

t.test('each error has the code of the table', t => {
  const codeOf = (code: string) => Object.assign(new Error(code), { code })
  const rows: [error: unknown, code: number | undefined][] = [
    [new NoAnswer(), 1],
    [new CannotStart(), 2],
    [codeOf('EACCES'), 2],
    [codeOf('SQLITE_CORRUPT'), 2],
    [new NotReached(), 3],
    [new NotNow(), 75],
    [codeOf('ENOSPC'), 75],
    [codeOf('SQLITE_FULL'), 75],
    [new TypeError('a fault of the program'), undefined],
  ]
  for (const [error, code] of rows) t.equal(exitCodeOf(error), code, String(error))
  const known: number[] = endings.map(({ code }) => code)
  t.same(
    rows.flatMap(([, code]) => code ?? []).filter(code => !known.includes(code)),
    [],
  )
  t.end()
})

t.test('the documentation names each code, and whether to start again', t => {
  const table = textOf('docs/command-line.md')
  for (const { code, again } of endings)
    t.match(
      table,
      new RegExp(`^\\| ${code} \\| [^|]+ \\| ${again ? 'yes' : 'no'}\\b[^|]*\\|$`, 'm'),
      `${code}`,
    )
  t.end()
})

t.test('the unit of systemd follows the table', t => {
  t.same(settings('Restart'), ['on-failure'])
  const final = endings.filter(({ again }) => !again).map(({ code }) => code)
  t.same(never, final)
  t.same(settings('StartLimitIntervalSec'), ['0'], 'systemd never gives up: a disk may be full for an hour')
  t.ok(Number(settings('RestartSec')[0]) >= 1, 'and tries at most once a second')
  t.end()
})

const noAnalyze =
  spawnSync('systemd-analyze', ['--version']).status === 0 ? false : 'systemd-analyze is not installed'
t.test('systemd finds nothing wrong with the unit', { skip: noAnalyze }, t => {
  const verified = (dropIn: string) => {
    const file = path.join(t.testdir({ 'reprise.service.d': { 'node.conf': dropIn } }), 'reprise.service')
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath)) // it must be there to be found right
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    const said = `${stdout}${stderr}`.split('\n').filter(line => line.includes('reprise.service'))
    return { status, said }
  }
  t.same(verified(''), { status: 0, said: [] })
  t.same(verified(textOf('deploy/reprise-node.conf')), { status: 0, said: [] }, 'and with that of a node')
  t.match(verified('[Service]\nNoSetting=1\n').said, [/node\.conf:2: Unknown key/], 'it reads drop-ins')
  t.end()
})

t.test('the variables of a node are those that a node reads', t => {
  const lines = textOf('deploy/reprise-node.env')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  const env = Object.fromEntries(lines.map(line => line.split(/=(.*)/s)))
  t.match(clusterOf(env), {
    node: 'a',
    url: 'http://10.0.0.1:8080',
    keyFile: '/etc/reprise-cluster-key',
    nats: { servers: ['10.0.0.11:4222', '10.0.0.12:4222', '10.0.0.13:4222'], login: { user: 'cluster' } },
  })
  t.match(textOf('deploy/reprise-node.conf'), /^EnvironmentFile=\/etc\/reprise-node\.env$/m)
  t.end()
})

t.test('images start again after every failure, since Docker cannot tell exit codes apart', t => {
  for (const file of ['compose.yaml', 'compose.cluster.yaml'])
    t.match(textOf(file), /^ +restart: unless-stopped\b/m, file)
  t.end()
})

t.test('what may pass is started again', async t => {
  const inUse = t.testdir({ lost: {} })
  const lost = path.join(inUse, 'lost')
  writeFileSync(path.join(lost, 'audit-key'), 'of a log that is not mounted')
  const starts: [what: string, start: () => ReturnType<typeof refusedStart>][] = [
    ['an address that may come', () => refusedStart(path.join(inUse, 'new'), { HOST: '203.0.113.7' })],
    ['a log that is not mounted', () => refusedStart(lost)],
    [
      'NATS that is away, for a node of a cluster',
      async () => {
        const CLUSTER_KEY_FILE = path.join(inUse, 'key')
        writeFileSync(CLUSTER_KEY_FILE, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
        const nats = { CLUSTER_NATS_URL: 'nats://127.0.0.1:1', CLUSTER_ACCEPT_UNSYNCED: '1' }
        const cluster = { CLUSTER: '1', CLUSTER_KEY_FILE, ...nats }
        const free = await freePort()
        const node = { NODE_NAME: 'a', NODE_URL: `http://127.0.0.1:${free}`, PORT: `${free}` }
        return refusedStart(path.join(inUse, 'node'), { ...cluster, ...node, CLUSTER_WAIT_SECONDS: '1' })
      },
    ],
  ]
  const disk = smallDisk(t, 1)
  if (disk === undefined) t.pass(noMount, { skip: noMount })
  else {
    fill(disk)
    starts.push(['a full disk', () => refusedStart(path.join(disk, 'data'))])
  }
  for (const [what, start] of starts) {
    const { code, stderr } = await start()
    t.match(stderr, /(^|\n)reprise: [^\n]+\n$/, what)
    t.ok(startsAgain(code), `${what}: ${code} ${stderr}`)
    t.ok(endings.some(ending => ending.code === code && ending.again))
  }
})

t.test('what cannot pass by itself is not', async t => {
  const folder = t.testdir({ damaged: { 'log.db': 'no log'.repeat(1000) } })
  const listening = createServer().listen(0, '127.0.0.1')
  await once(listening, 'listening')
  t.teardown(() => listening.close())
  const { port } = listening.address() as { port: number }
  mkdirSync(path.join(folder, 'envs'))
  mkdirSync(path.join(folder, 'held'))
  t.teardown(lockData(path.join(folder, 'held')))
  const starts: Record<string, () => ReturnType<typeof refusedStart>> = {
    'a variable': () => refusedStart(folder, { PORT: 'eighty' }),
    'a folder that is not there': () => refusedStart(folder, { ENV_PATH: path.join(folder, 'none') }),
    'a port in use': () => refusedStart(path.join(folder, 'new'), { PORT: `${port}` }),
    'a folder in use': () => refusedStart(path.join(folder, 'held')),
    'a damaged log': () => refusedStart(path.join(folder, 'damaged')),
    'a folder that cannot be made': () => refusedStart('/proc/no/such'),
  }
  for (const [what, start] of Object.entries(starts)) {
    const { code, stderr } = await start()
    t.match(stderr, /^reprise: [^\n]+\n$/, what)
    t.notOk(startsAgain(code), `${what}: ${code} ${stderr}`)
  }
  const badOption = spawnSync(process.execPath, ['--no-such-option', 'bin/reprise.mjs', 'serve'], {
    cwd: root,
  })
  t.notOk(startsAgain(badOption.status), `an option that Node does not know: ${badOption.status}`)
  const server = await spawnServer(t, path.join(folder, 'stopped'))
  t.equal((await fetch(`${server.url}/readyz`)).status, 200)
  const [code] = await server.end('SIGTERM')
  t.notOk(startsAgain(code), 'a stop is no failure')
})
