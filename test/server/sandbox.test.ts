// What stands around what runs for users: which sandbox the start finds, what is refused without one, and that a process
// with a user id of its own reaches nothing of the server or of others. Real servers, real shells.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { isAlive } from '../environments/support.ts'
import { envCalls } from '../http/env-calls.ts'
import { until } from '../support/http.ts'
import { isRoot, noBubblewrap, pathOf } from '../support/sandbox.ts'
import { apiOf, type ServerProcess, spawnServer } from '../support/server.ts'
import { play, untilStatus } from './wire.ts'

const allowed = { ALLOW_UNSANDBOXED_SHELL: '1' }
const withoutRoot = isRoot ? false : 'needs root, which alone can give user ids'
const brokenBwrap = '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n'

/** What tests put here may be read by every user of the machine, as an operator's folders may. */
const openFolder = (t: Test): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-open-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o755)
  return folder
}
const sandboxOf = (server: ServerProcess) => /^Sandbox {4}(.*)$/m.exec(server.stdout())?.[1] ?? ''
const readyOf = async ({ url }: ServerProcess) =>
  (await (await fetch(`${url}/readyz`)).json()) as Record<string, unknown>
const shellOf = ({ api }: Pick<ServerProcess, 'api'>) => {
  const { step } = envCalls(api)
  return async (session: string, command: string) => {
    const { status, body } = await step(session, 'shell', { command })
    return { status, body, said: String(body.tool_result?.message_content), info: body.info ?? {} }
  }
}

for (const [what, bwrap, reason] of [
  ['is missing', undefined, 'bubblewrap is not installed'],
  ['does not work', brokenBwrap, 'bubblewrap is installed but does not work on this machine'],
] as const) {
  t.test(`where bubblewrap ${what} the environment workspace is refused, and says why`, async t => {
    const server = await spawnServer(t, t.testdir(), { PATH: pathOf(t, bwrap), ENV_DEFAULT: 'workspace' })
    const { create, call } = envCalls(server.api)
    const why = new RegExp(`${reason}, and .* Install bubblewrap .* or set ALLOW_UNSANDBOXED_SHELL=1$`)
    for (const body of [{ env_id: 'workspace' }, { env_class_path: 'workspace' }, {}]) {
      const { status, body: no } = await create(body)
      t.equal(status, 404, JSON.stringify(body))
      t.match(no, { code: -32024, message: why, detail: why })
    }
    type Info = { name: string; importable: string; error?: string; description: string }
    const listed = async () => (await call('GET', '/env')).body as unknown as { environments: Info[] }
    // On a busy machine, the first answer may come before the environments have said hello.
    await until(async () =>
      (await listed()).environments.every(({ error }) => !/has not said hello/.test(`${error}`)),
    )
    const { environments } = await listed()
    const ours = environments.find(({ name }) => name === 'workspace')
    t.match(ours, { importable: 'false', error: why, description: /^A folder of files/ })
    const { details } = (await call('GET', '/env/workspace')).body as unknown as { details: Info[] }
    t.match(details, [{ importable: 'false', error: why }])
    t.match(
      environments.find(({ name }) => name === 'gridworld'),
      { importable: 'true', error: undefined },
    )
    t.equal((await create({ env_id: 'gridworld' })).status, 200, 'and nothing else is')

    t.match(sandboxOf(server), /^none: workspaces are refused \(install bubblewrap, or set ALLOW_/)
    t.match(await readyOf(server), { sandbox: 'refused' })
    const line = /bubblewrap is installed but does not work .*No permissions to create new namespace/
    if (bwrap === undefined) t.notMatch(server.stderr(), 'bubblewrap')
    else t.match(server.stderr(), line, 'the operator is told what bubblewrap said')
  })
}

t.test('the operator may allow shell commands without a sandbox, and the start says so', async t => {
  const server = await spawnServer(t, t.testdir(), { PATH: pathOf(t, brokenBwrap), ...allowed })
  t.match(
    sandboxOf(server),
    /^none: shell commands of workspaces run with limits only \(ALLOW_UNSANDBOXED_SHELL=1\)/,
  )
  t.match(await readyOf(server), { sandbox: 'limits' })
  const { body } = await envCalls(server.api).create({ env_id: 'workspace' })
  t.match(body.initial_state, { sandbox: 'limits' })
  t.match(await shellOf(server)(body.session_id, 'echo hello'), {
    said: 'hello',
    info: { sandbox: 'limits' },
  })
})

t.test(
  'a session that had a sandbox is never run without one, and goes on when there is one again',
  async t => {
    const dataDir = t.testdir()
    const PATH = pathOf(t)
    const before = await spawnServer(t, dataDir, { PATH, ...allowed })
    await envCalls(before.api).create({ session_id: 's1', env_id: 'workspace' })
    await envCalls(before.api).create({ session_id: 's2', env_id: 'workspace' })
    t.match(await shellOf(before)('s1', 'echo kept > file'), { info: { exit_code: 0 } })
    await before.end('SIGKILL')

    const refused = await spawnServer(t, dataDir, { PATH })
    const { observe, reset, record, close } = envCalls(refused.api)
    const why = /the environment workspace is refused: bubblewrap is not installed/
    const answers = [await shellOf(refused)('s1', 'id'), await observe('s1'), await reset('s1')]
    for (const { status, body } of answers) {
      t.equal(status, 503)
      t.match(body, { code: -32603, message: why, data: { reason: why } })
    }
    const call = [{ tool: 'shell', arguments: { command: 'id' } }, { message: 'done' }]
    const { id } = await play(refused.api, call, { session_id: 's1', background: true })
    await untilStatus(refused.api, id, 'completed')
    const task = await (await refused.api('GET', `/tasks/${id}`)).text()
    t.match(task, /the environment workspace is refused/, "a task's call has that as its result")
    t.notMatch(task, 'uid=')
    t.match((await record('s1')).body, { is_active: true }, 'the session waits for the operator')
    t.equal((await close('s2')).status, 200, 'and can be closed')
    await refused.end('SIGKILL')

    const again = await spawnServer(t, dataDir, { PATH, ...allowed })
    t.match(await shellOf(again)('s1', 'cat file'), { said: 'kept' })
  },
)

t.test('with bubblewrap a shell sees its own folder and nothing else', { skip: noBubblewrap }, async t => {
  const dataDir = t.testdir()
  const server = await spawnServer(t, dataDir, { ADMIN_TOKEN: '' })
  const api = apiOf(server.url, readFileSync(path.join(dataDir, 'admin-token'), 'utf8').trim())
  const { create } = envCalls(api)
  const shell = shellOf({ api })
  t.match(sandboxOf(server), /^bubblewrap/)
  t.match(await readyOf(server), { sandbox: 'bubblewrap' })
  for (const session_id of ['s1', 's2']) {
    t.match((await create({ session_id, env_id: 'workspace' })).body.initial_state, { sandbox: 'bubblewrap' })
  }
  t.match(await shell('s1', 'id -u; echo mine > a; cat a'), { said: '1000\nmine' })
  const listener = createServer(socket => socket.end('reached'))
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  t.teardown(() => listener.close())
  const { port } = listener.address() as { port: number }
  for (const forbidden of [
    `ls ${dataDir}`,
    `cat ${dataDir}/admin-token`,
    `ls -R ${dataDir}/environments`,
    `kill -9 ${server.pid}`,
    `cat < /dev/tcp/127.0.0.1/${port}`,
    `ls -d /proc/${server.pid}`,
  ]) {
    const { info, said } = await shell('s2', forbidden)
    t.not(info.exit_code, 0, forbidden)
    t.notMatch(said, /reached|rp_/, forbidden)
  }
})

t.test('as root', { skip: withoutRoot }, async t => {
  const dataDir = t.testdir()
  const server = await spawnServer(t, dataDir, { ADMIN_TOKEN: '', PATH: pathOf(t), ...allowed })
  const api = apiOf(server.url, readFileSync(path.join(dataDir, 'admin-token'), 'utf8').trim())
  const { create, close } = envCalls(api)
  const shell = shellOf({ api })
  t.match(sandboxOf(server), /; environments have user ids of their own$/)
  t.match(await readyOf(server), { own_users: 'all' })
  for (const session_id of ['s1', 's2']) await create({ session_id, env_id: 'workspace' })
  const [first, second] = [await shell('s1', 'id -u'), await shell('s2', 'id -u')].map(({ said }) =>
    Number(said),
  )

  await t.test('each session has a user id of its own', async t => {
    t.ok(Number(first) >= 70_000 && Number(second) >= 70_000, `${first}, ${second}`)
    t.not(first, second)
    t.match(await shell('s1', 'echo mine > a && cat a && mkdir b && touch "$HOME/c"'), { said: 'mine' })
  })

  await t.test('a shell without a sandbox reads nothing of the server and ends nothing of it', async t => {
    const [other] = String((await shell('s1', 'echo $PPID')).said).split('\n')
    for (const forbidden of [
      `cat ${dataDir}/admin-token`,
      `ls ${dataDir}`,
      `ls ${dataDir}/environments`,
      `head -c 1 ${dataDir}/log.db`,
      `head -c 1 ${dataDir}/read.db`,
      `head -c 1 ${dataDir}/read.db-wal`,
      `head -c 1 ${dataDir}/secrets.db`,
      `head -c 1 ${dataDir}/server.json`,
      `ls ${dataDir}/workspace`,
      `cat /proc/${server.pid}/environ`,
      `kill -9 ${server.pid}`,
      `kill -9 ${other}`,
      `cat ${dataDir}/environments/default/s1/files/files/a`,
      `ls ${dataDir}/environments/default/s1/states`,
      `touch ${dataDir}/x ${dataDir}/environments/x`,
    ]) {
      const { info, said } = await shell('s2', forbidden)
      t.not(info.exit_code, 0, forbidden)
      t.match(said, /ermission denied|not permitted/, forbidden)
    }
    t.match(await shell('s1', 'cat a'), { said: 'mine' }, 'and the other session goes on')
    for (const name of [
      'log.db',
      'log.db-wal',
      'read.db',
      'read.db-wal',
      'secrets.db',
      'server.json',
      'lock.db',
    ]) {
      t.equal(statSync(path.join(dataDir, name)).mode & 0o077, 0, name)
    }
  })

  /** A process that has left its group and forgotten its variables. */
  const leaves =
    'setsid env -i sleep 97531 > /dev/null 2>&1 & p=$!; until [ "$(cat /proc/$p/comm)" = sleep ]; do :; done; echo $p'

  await t.test('what leaves its process group and forgets its variables ends with its session', async t => {
    const left = (await shell('s1', leaves)).said.trim()
    t.ok(isAlive(left))
    await close('s1')
    await until(() => !isAlive(left))
    t.match(await shell('s2', 'echo here'), { said: 'here' })
  })

  await t.test('a session that comes back has its files, whatever its user id is then', async t => {
    t.match(await shell('s2', 'mkdir -p d && echo kept > d/e && chmod 600 d/e'), { info: { exit_code: 0 } })
    const left = (await shell('s2', leaves)).said.trim()
    await server.end('SIGKILL')
    await until(() => !isAlive(left)) // nor does it outlive a server that is killed
    const next = await spawnServer(t, dataDir, { PATH: pathOf(t), ...allowed })
    const after = shellOf(next)
    t.match(await after('s2', 'cat d/e && echo more >> d/e && cat d/e'), { said: 'kept\nkept\nmore' })
    t.not(Number((await after('s2', 'id -u')).said), second)
    await envCalls(next.api).close('s2')
    t.notOk(existsSync(path.join(dataDir, 'environments/s2/files')))
  })
})

const looks = `
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
export class Looks {
  constructor(kwargs, { dir }) { this.dir = dir }
  reset() { writeFileSync(this.dir + '/reset', '') }
  observe() { return {} }
  tools() { return [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }] }
  step() {
    const open = readdirSync('/proc/self/fd').map(fd => { try { return readlinkSync('/proc/self/fd/' + fd) } catch { return '' } })
    const parent = (() => { try { return readFileSync('/proc/' + process.ppid + '/environ', 'utf8') } catch (error) { return error.code } })()
    return { content: JSON.stringify({ env: process.env, open, parent, uid: process.getuid() }) }
  }
}
`
const inPython = `
import json, os
class Looks:
    def __init__(self, kwargs, given): pass
    def reset(self, seed, options): pass
    def observe(self): return {}
    def tools(self): return [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
    def step(self, tool, args, context):
        return {"content": json.dumps({"env": dict(os.environ), "open": [], "parent": "", "uid": os.getuid()})}
`
/** A folder of modules that anybody may read. */
const modulesOf = (t: Test): string => {
  const folder = openFolder(t)
  writeFileSync(path.join(folder, 'looks.mjs'), looks)
  writeFileSync(path.join(folder, 'snake.py'), inPython)
  return folder
}
const lookWith = async ({ api }: ServerProcess, env_class_path: string) => {
  const { create, step } = envCalls(api)
  const { body } = await create({ env_class_path, session_id: env_class_path })
  const answer = await step(body.session_id, 'look')
  type Looked = { env: Record<string, string>; open: string[]; parent: string; uid: number }
  return JSON.parse(String(answer.body.tool_result?.message_content)) as Looked
}
const secrets = {
  MODEL_BASE_URL: 'http://127.0.0.1:9/v1',
  MODEL: 'm',
  MODEL_API_KEY: 'secret-model-key',
  NATS_URL: 'nats://127.0.0.1:9',
  NATS_TOKEN: 'secret-nats-token',
}

t.test('no variable and no open file of the server reaches what runs for users', async t => {
  const dataDir = t.testdir()
  const env = { ENV_PATH: modulesOf(t), ENV_UID_BASE: '70000', ...secrets }
  const server = await spawnServer(t, dataDir, env)
  for (const module of ['looks.mjs#Looks', 'snake.py#Looks']) {
    const { env: variables, open, parent, uid } = await lookWith(server, module)
    t.same(
      Object.keys(variables).filter(
        name => !/^(PATH|LANG|LC_CTYPE|HOME|TMPDIR|PYTHON\w+|REPRISE_\w+|_?PYENV\w*|PWD|SHLVL)$/.test(name),
      ),
      [],
      module,
    )
    t.notMatch(JSON.stringify(variables), /secret-|test-admin-token/)
    t.notOk(
      open.some(file => file.startsWith(dataDir)),
      'none of its files is open',
    )
    if (!isRoot || !module.startsWith('looks')) continue
    t.ok(uid >= 70_000, 'with a user id of its own')
    t.equal(parent, 'EACCES', "nor can the server's variables be read")
  }
})

t.test(
  'where user ids cannot be given, the server goes on without and says so',
  { skip: withoutRoot },
  async t => {
    const cases = [
      [
        'modules that others cannot read',
        () => chmodSync(modules, 0o700),
        {},
        /environments of ENV_PATH have no user ids of their own, and run as root: .*cannot use/,
      ],
      [
        'ids that are those of accounts',
        () => chmodSync(modules, 0o755),
        { ENV_UID_BASE: '65000' },
        /environments have no user ids of their own, and run as root: .*include the id of nobody/,
      ],
      ['a switch', () => {}, { ENV_UID_BASE: '0' }, /^$/],
    ] as const
    const modules = modulesOf(t)
    for (const [what, prepare, env, line] of cases) {
      prepare()
      const own = { ENV_PATH: modules, ENV_UID_BASE: '70000', ...env }
      const server = await spawnServer(t, openFolder(t), own)
      t.match(server.stderr(), line, what)
      t.equal((await lookWith(server, 'looks.mjs#Looks')).uid, 0, what)
      const isSome = !('ENV_UID_BASE' in env)
      t.match(await readyOf(server), { own_users: isSome ? 'some' : 'none' })
      t.match(sandboxOf(server), isSome ? /; some environments run as root$/ : /; environments run as root$/)
      await server.end('SIGKILL')
    }
  },
)

t.test(
  'where bubblewrap works for root alone, its shells run as root within it',
  { skip: withoutRoot || noBubblewrap },
  async t => {
    const forRoot =
      '#!/bin/sh\n[ "$(id -u)" = 0 ] || exit 1\nPATH=/usr/local/bin:/usr/bin:/bin exec bwrap "$@"\n'
    const env = { PATH: `${pathOf(t, forRoot)}:/usr/bin:/bin` }
    const dataDir = t.testdir()
    const before = await spawnServer(t, dataDir)
    await envCalls(before.api).create({ session_id: 's1', env_id: 'workspace' })
    await shellOf(before)('s1', 'mkdir d; echo kept > d/e; chmod 600 d/e')
    await before.end('SIGKILL')
    const server = await spawnServer(t, dataDir, env)
    const line = /workspaces have no user ids of their own, and run as root: bubblewrap works for root alone/
    t.match(server.stderr(), line)
    t.match(await readyOf(server), { sandbox: 'bubblewrap', own_users: 'some' })
    const { said } = await shellOf(server)('s1', `cat d/e; ls ${dataDir}`)
    t.match(said, /^kept\n.*No such file/, 'with what was there before')
  },
)
