// The first minute: what the start prints, makes and gives away.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { hashOf } from '../../src/principals.ts'
import { version } from '../../src/version.ts'
import { hasTerminal, startAtTerminal } from '../cli/support.ts'
import { apiOf, serveHere, spawnServer } from '../support/server.ts'
import { createTask, play, untilStatus } from './wire.ts'

const noCurl = spawnSync('curl', ['--version']).status === 0 ? false : 'curl is not installed'
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)

t.test('the start says in a few aligned lines what there is, and is quiet from then on', async t => {
  const dataDir = t.testdir()
  const { api, url, output, end } = await spawnServer(t, dataDir)
  const printed = output()
  t.same(printed.split('\n').slice(0, 8), [
    `reprise    ${version}`,
    `API        ${url}/v1`,
    `Docs       ${url}/docs`,
    `Data       ${dataDir} (durable)`,
    'NATS       off',
    printed.split('\n')[5], // test/server/walls.test.ts
    '',
    'Try it:',
  ])
  t.ok(printed.trimEnd().split('\n').length <= 10)

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
    t.equal(modeOf(dataDir), '700')
    const audit = await apiOf(first.url, token)('GET', '/audit/events?stream=principal-admin')
    const text = await audit.text()
    t.match(JSON.parse(text), {
      events: [{ type: 'AdminTokenMade', principal: 'system', data: { file: 'admin-token' } }],
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
    const made = (await (await third.api('GET', '/audit/events?limit=100')).json()) as { events: object[] }
    t.equal(made.events.length, 1, 'a start that finds a token makes no event')
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

t.test('with ADMIN_TOKEN no token is written down', async t => {
  const { dataDir } = await serveHere(t)
  t.notOk(existsSync(path.join(dataDir, 'admin-token')))
})
