// dist/ is built again while a server runs from it: whatever the server opens from then on is of its own build.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { adminToken, apiOf } from '../support/server.ts'
import { play } from './wire.ts'

const root = path.resolve(import.meta.dirname, '../..')
const place = mkdtempSync(path.join(tmpdir(), 'reprise-built-'))
t.teardown(() => rmSync(place, { recursive: true, force: true }))
for (const name of [
  'src',
  'actors',
  'library',
  'projections',
  'bin',
  'python',
  'build.mjs',
  'console',
  'package.json',
  'tsconfig.json',
]) {
  cpSync(path.join(root, name), path.join(place, name), { recursive: true })
}
symlinkSync(path.join(root, 'node_modules'), path.join(place, 'node_modules'))
const dataDir = path.join(place, 'data')

const build = () => {
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { cwd: place, encoding: 'utf8' })
  t.same({ status, stderr }, { status: 0, stderr: '' })
  return readFileSync(path.join(place, 'dist/current'), 'utf8').trim()
}
/** Builds have folders of their own. */
const builds = () => readdirSync(path.join(place, 'dist')).filter(name => /^[0-9a-f]{12}$/.test(name))
/** As if nobody had marked any build but `used` as used for two days. */
const age = (used?: string) => {
  const then = new Date(Date.now() - 2 * 86_400_000)
  for (const name of builds()) if (name !== used) utimesSync(path.join(place, 'dist', name), then, then)
}

/** Every source that a thread or a program of the server is made of says something else, and the page too. */
const change = (word: string) => {
  const threads = readdirSync(path.join(place, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(name => /-thread\.ts$|kinds\/(\w+)\/\1\.ts$|documents\/\w+\.ts$/.test(name))
    .concat('environments/host/host-process.ts')
  for (const name of threads) {
    appendFileSync(path.join(place, 'src', name), `\nif (process.pid > 0) throw new Error('${word}')\n`)
  }
  writeFileSync(path.join(place, 'python/reprise_env.py'), `raise Exception('${word}')\n`)
  appendFileSync(path.join(place, 'src/http/docs-page/page.css'), `/* ${word} */\n`)
}

const serve = async () => {
  const env = {
    ...{ PATH: process.env.PATH, DATA_DIR: dataDir, PORT: '0', ADMIN_TOKEN: adminToken, ENV_UID_BASE: '0' },
    ...{ ENV_PATH: path.join(place, 'envs'), ALLOW_UNSANDBOXED_SHELL: '1' },
  }
  const child = spawn(process.execPath, ['bin/reprise.mjs', 'serve'], {
    cwd: place,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  child.stderr.on('data', chunk => (said += chunk))
  let printed = ''
  while (!printed.includes('Try it:')) {
    const [chunk] = await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => [undefined]),
    ])
    if (chunk === undefined) throw new Error(`the server did not start: ${said}`)
    printed += chunk
  }
  const { url } = JSON.parse(readFileSync(path.join(dataDir, 'server.json'), 'utf8')) as { url: string }
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  /** What the server has said, except that a request was slow, as on a busy machine. */
  const complaints = () =>
    said.split('\n').filter(line => line !== '' && !line.includes('"message":"request"'))
  return { url, api: apiOf(url), complaints, stop }
}

t.test('a running server goes on with the files of its build, which stay as long as it runs', async t => {
  cpSync(path.join(root, 'test/environments/python/own.py'), path.join(place, 'envs/own.py'))
  const first = build()
  age()
  const server = await serve()
  const { mtimeMs } = statSync(path.join(place, 'dist', first))
  t.ok(Date.now() - mtimeMs < 600_000, 'the server marks its build as used')
  t.same(builds(), [first])
  for (const word of ['the second build', 'the third build', 'the fourth build']) {
    change(word)
    age(first)
    build()
  }
  t.ok(builds().includes(first), 'its server runs')
  t.equal(builds().length, 2, 'the others are gone, but for the newest: nobody runs them')

  const { url, api } = server
  for (const name of [
    '/docs',
    '/openapi.json',
    '/asyncapi.json',
    '/metrics',
    '/docs/page.css',
    '/docs/page.js',
  ]) {
    const answer = await fetch(`${url}${name}`)
    t.equal(answer.status, 200, name)
    t.notMatch(await answer.text(), /the (second|third|fourth) build/)
  }
  const tools = [
    { tool: 'run_javascript', arguments: { code: '6 * 7' } },
    { tool: 'write_file', arguments: { path: 'hay.txt', content: 'a needle' } },
  ]
  const search = { tool: 'search_files', arguments: { pattern: 'needle', path: 'hay.txt' } }
  const task = await play(api, [{ tools }, search, { message: 'done' }], { stream: false, background: false })
  t.equal(task.status, 'completed')
  const results = JSON.stringify(task.output.filter(item => item.type === 'tool_result'))
  t.match(results, /42.+hay\.txt:1: a needle/, 'threads of tools')

  const large = await api('POST', '/tasks', {
    user_message_content: 'x'.repeat(2 ** 20),
    stream: false,
    client_id: 'echo',
    structured_output: { type: 'object' },
  })
  t.equal(large.status, 200, 'the threads that read bodies and schemas')

  for (const env_id of ['gridworld', 'chess', 'sql', 'workspace', 'own.py#Own']) {
    const made = await api('POST', '/env/create', { session_id: `a-${env_id}`, env_id })
    t.equal(made.status, 200, `${env_id}: ${await made.text()}`)
  }
  t.same(server.complaints(), [])
  await server.stop()

  age()
  change('the fifth build')
  build()
  t.notOk(builds().includes(first), 'nobody needs it any more')
  t.ok(existsSync(path.join(place, 'dist/current')))
})

t.test('a checkout without a build makes one for its first command', async t => {
  rmSync(path.join(place, 'dist'), { recursive: true })
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/reprise.mjs', '--version'], {
    cwd: place,
    encoding: 'utf8',
  })
  t.match({ status, stdout, stderr }, { status: 0, stdout: /^\d/, stderr: '' })
  t.equal(builds().length, 1)
})

t.test('a package without a build says what to do', async t => {
  rmSync(path.join(place, 'dist'), { recursive: true })
  rmSync(path.join(place, 'build.mjs'))
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/reprise.mjs'], {
    cwd: place,
    encoding: 'utf8',
  })
  t.same({ status, stdout }, { status: 2, stdout: '' })
  t.equal(stderr, 'reprise: the folder dist/ of this package has no build: install the package again\n')
})
