// The first minute: what the start prints, makes and gives away.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { hashOf } from '../../src/access/principals.ts'
import { version } from '../../src/platform/version.ts'
import { hasTerminal, start, startAtTerminal } from '../cli/support.ts'
import { adminToken, apiOf, runReprise, serveHere, spawnServer } from '../support/server.ts'
import { createTask, play, untilStatus } from './wire.ts'

const noCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed'
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)

t.test('the start says in a few aligned lines what there is, and is quiet from then on', async t => {
  const dataDir = t.testdir()
  const { api, url, output, end } = await spawnServer(t, dataDir)
  const printed = output()
  t.same(printed.split('\n').slice(0, 10), [
    `reprise    ${version}`,
    `Console    ${url}/ui`,
    `API        ${url}/v1`,
    `Docs       ${url}/docs`,
    `Data       ${dataDir} (durable)`,
    'Model      none: the agent demo answers (set MODEL_BASE_URL and MODEL to use one)',
    'NATS       off',
    printed.split('\n')[7], // test/server/sandbox.test.ts
    '',
    'Try it:',
  ])
  t.ok(printed.trimEnd().split('\n').length <= 14)

  await createTask(api, { user_message_content: 'hello', client_id: 'echo' })
  await play(api, [{ fail: { code: -32000, message: 'as the script says' } }])
  await api('POST', '/tasks', '{ no json')
  await api('GET', '/tasks/none')
  t.equal(output(), printed)

  const { id } = await play(api, [{ sleep_ms: 1000 }, { message: 'done' }])
  await end('SIGKILL')
  const next = await spawnServer(t, dataDir)
  t.match(next.stdout(), /^Resumed {4}1 unfinished task$/m)
  await untilStatus(next.api, id, 'completed')
})

t.test('the printed request works when it is pasted', { skip: noCurl }, async t => {
  for (const ADMIN_TOKEN of ['', "it's-$a-`token`"]) {
    const server = await spawnServer(t, t.testdir(ADMIN_TOKEN === '' ? {} : { other: {} }), { ADMIN_TOKEN })
    const line = server
      .stdout()
      .split('\n')
      .find(text => text.startsWith('curl '))
    if (ADMIN_TOKEN !== '')
      t.notOk(server.output().includes(ADMIN_TOKEN), 'what the operator set is not printed')
    const { status, stdout } = spawnSync('bash', ['-c', `${line} -s`], {
      encoding: 'utf8',
      timeout: 20_000,
      env: { PATH: process.env.PATH, ADMIN_TOKEN },
    })
    t.equal(status, 0)
    t.match(stdout, /^event: task\.created$/m, `with the token ${ADMIN_TOKEN}`)
    t.match(stdout, /^event: task\.completed$/m)
    const variables = server
      .stdout()
      .split('\n')
      .find(text => text.startsWith('export '))
    const list = spawnSync(
      'bash',
      ['-c', `${variables}\ncurl -s $URL/v1/tasks -H "Authorization: Bearer $TOKEN"`],
      {
        encoding: 'utf8',
        timeout: 20_000,
        env: { PATH: process.env.PATH, ADMIN_TOKEN },
      },
    )
    t.match(
      JSON.parse(list.stdout),
      { result: [{ status: 'completed' }] },
      'and so do those of the documents',
    )
    const tokens = spawnSync(
      'bash',
      ['-c', `${variables}\n'${process.execPath}' bin/reprise.mjs token create --role user`],
      {
        encoding: 'utf8',
        timeout: 20_000,
        cwd: path.resolve(import.meta.dirname, '../..'),
        env: { PATH: process.env.PATH, ADMIN_TOKEN },
      },
    )
    t.match(tokens.stdout, /^rp_/, 'and commands')
    await server.end('SIGKILL')
  }
})

t.test(
  'the first start without ADMIN_TOKEN makes a token, keeps it for its owner alone, and goes on using it',
  async t => {
    const dataDir = path.join(t.testdir(), 'made/by/the/start')
    const file = path.join(dataDir, 'admin-token')
    const first = await spawnServer(t, dataDir, { ADMIN_TOKEN: '' })
    const token = readFileSync(file, 'utf8').trim()
    t.match(token, /^rp_[\w-]{43}$/)
    t.equal(modeOf(file), '600')
    t.notOk(first.output().includes(token), 'it is not printed where no terminal is')
    t.ok(first.stdout().includes(`Bearer $(cat '${file}')`))
    t.equal((await apiOf(first.url, token)('GET', '/auth/tokens')).status, 200)
    t.equal((await first.api('GET', '/tasks')).status, 401)
    t.equal(modeOf(path.join(dataDir, 'secrets.db')), '600')
    t.match(modeOf(dataDir), /^7[01]0$/, 'nobody else may look into it')
    const audit = await apiOf(first.url, token)('GET', '/audit/events?stream=principal-admin')
    const text = await audit.text()
    t.match(JSON.parse(text), {
      data: [{ type: 'AdminTokenMade', principal: 'system', data: { file: 'admin-token' } }],
    })
    t.notOk(text.includes(token) || text.includes(hashOf(token)), 'nothing of it is in the log')
    t.same(JSON.parse(readFileSync(path.join(dataDir, 'server.json'), 'utf8')), {
      url: first.url,
      pid: first.pid,
    })
    t.same(await first.end('SIGTERM'), [0, null])

    const second = await spawnServer(t, dataDir, { ADMIN_TOKEN: '' })
    t.equal(readFileSync(file, 'utf8').trim(), token)
    t.equal((await apiOf(second.url, token)('GET', '/tasks')).status, 200)
    await second.end('SIGKILL')
    const third = await serveHere(t, { DATA_DIR: dataDir })
    t.equal((await third.api('GET', '/tasks')).status, 200, 'ADMIN_TOKEN beats the file')
    const made = (await (await third.api('GET', '/audit/events?limit=100')).json()) as {
      data: { type: string }[]
    }
    t.same(
      made.data.map(({ type }) => type),
      ['AuditKeyChanged', 'AdminTokenMade'],
      'a start that finds a token and a key makes no event',
    )
    t.equal((await apiOf(third.url, token)('GET', '/tasks')).status, 401)
  },
)

t.test('a terminal is shown the token that the start made, and never one that was set', async t => {
  if (!hasTerminal) return t.comment('no terminal can be played here')
  const DATA_DIR = t.testdir()
  const env = { PORT: '0', DATA_DIR }
  const made = startAtTerminal(t, ['serve'], { ...env, ADMIN_TOKEN: '' })
  await made.until(/^curl .+/m)
  const token = readFileSync(path.join(DATA_DIR, 'admin-token'), 'utf8').trim()
  t.ok(made.said.stdout.includes(`'Authorization: Bearer ${token}'`))
  const set = startAtTerminal(t, ['serve'], {
    ...env,
    DATA_DIR: path.join(DATA_DIR, 'other'),
    ADMIN_TOKEN: 'a-secret-of-mine',
  })
  await set.until(/^curl .+/m)
  t.notMatch(set.said.stdout, /a-secret-of-mine/)
  t.match(set.said.stdout, /"Authorization: Bearer \$ADMIN_TOKEN"/)
})

t.test('options of serve beat variables, and the start names the model', async t => {
  const dataDir = t.testdir()
  const model = { MODEL_BASE_URL: 'http://127.0.0.1:9/v1', MODEL: 'some-model', MODEL_API_KEY: 'sk-hidden' }
  const options = ['--port', '0', '--host', 'localhost', '--data', dataDir]
  const server = start(t, ['serve', ...options], { PORT: '1', HOST: 'nowhere', ...model })
  await server.until(/^curl .+/m)
  t.match(server.said.stdout, /^API {8}http:\/\/localhost:\d+\/v1/m)
  t.ok(server.said.stdout.includes(`Data       ${dataDir} (durable)`))
  t.match(server.said.stdout, /^Model {6}some-model at http:\/\/127\.0\.0\.1:9\/v1/m)
  t.notMatch(server.said.stdout, 'sk-hidden')
  t.match(await runReprise(['serve', '--port', 'x'], { DATA_DIR: dataDir }), {
    code: 2,
    stderr: 'reprise: PORT=x is not a whole number from 0 to 65535\n',
  })
})

t.test('LOG_LEVEL=info tells of starts, ends and failures, and nothing that users wrote', async t => {
  const { api, stderr, end, url } = await spawnServer(t, t.testdir(), {
    LOG_LEVEL: 'info',
    ENV_PATH: path.resolve(import.meta.dirname, '../environments/hostile'),
  })
  const done = await createTask(api, {
    user_message_content: 'a secret text',
    stream: false,
    client_id: 'echo',
  })
  const failed = await play(api, [{ fail: { code: -32000, message: 'as the script says' } }], {
    background: false,
  })
  await api('POST', '/env/create', { session_id: 'world', env_id: 'gridworld' })
  await api('POST', '/env/close', { session_id: 'world' })
  await api('POST', '/env/create', { session_id: 'lost', env_class_path: 'ends.mjs', env_id: 'my label' })
  const lost = { session_id: 'lost', tool_name: 'go', tool_args: { how: 'with a word' } }
  await api('POST', '/env/step', lost)
  t.match(await (await api('GET', '/env/session/lost')).text(), 'out of luck', 'the session says why')
  await end('SIGTERM')
  const lines = stderr()
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as Record<string, unknown>)
  const user_id = 'default'
  const expected = [
    { level: 'info', message: 'the server has started', version, url, resumed: 0 },
    { level: 'info', message: 'task started', task_id: done.id, user_id },
    { level: 'info', message: 'task ended', task_id: done.id, user_id, status: 'completed', ms: Number },
    { level: 'info', message: 'task started', task_id: failed.id, user_id },
    { message: 'task failed', task_id: failed.id, code: -32000, ms: Number },
    { message: 'environment session started', session_id: 'world', user_id, kind: 'gridworld' },
    { message: 'environment session ended', session_id: 'world', user_id, reason: 'closed' },
    { message: 'environment session started', session_id: 'lost', user_id, kind: 'ends.mjs' },
    { message: 'environment session lost', session_id: 'lost', user_id },
    { level: 'info', message: 'the server stops', running_tasks: 0 },
    { level: 'info', message: 'the server has stopped' },
  ]
  t.match(lines, expected)
  t.equal(lines.length, expected.length)
  for (const text of ['a secret text', 'as the script says', 'my label', 'out of luck'])
    t.notMatch(stderr(), text)
})

t.test('an ADMIN_TOKEN that can be guessed gets a warning, once', async t => {
  for (const [ADMIN_TOKEN, isWeak] of [
    ['changeme', true],
    ['aaaaaaaaaaaaaaaaaaaaaaaa', true],
    [adminToken, false],
  ] as const) {
    const { lines } = await serveHere(t, { ADMIN_TOKEN })
    const said = lines.filter(({ message }) => message.startsWith('ADMIN_TOKEN can be guessed: '))
    t.equal(said.length, isWeak ? 1 : 0, ADMIN_TOKEN)
  }
})

t.test("a browser that opens the server's address is shown the console", async t => {
  const { url } = await serveHere(t)
  const open = (accept: string, path = '/') =>
    fetch(`${url}${path}`, { headers: { accept }, redirect: 'manual' })
  const browser = 'text/html,application/xhtml+xml,*/*;q=0.8'
  for (const path of ['/', '/?from=mail']) {
    const { status, headers } = await open(browser, path)
    t.same([status, headers.get('location')], [302, 'ui'])
  }
  const places = (await (await open('*/*')).json()) as Record<string, string>
  t.match(places, { name: 'reprise', version: /^\d/, api: '/v1' })
  for (const name of ['console', 'docs', 'openapi'])
    t.equal((await open('*/*', places[name])).status, 200, `a program is told where the ${name} is`)
  t.equal((await open(browser, '/nothing')).status, 404)
})

t.test('with ADMIN_TOKEN no token is written down', async t => {
  const { dataDir } = await serveHere(t)
  t.notOk(existsSync(path.join(dataDir, 'admin-token')))
})
