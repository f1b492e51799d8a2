// reprise token, beside a running server and without one.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { createTask, sleep } from '../server/wire.ts'
import { adminToken, apiOf, runReprise, serveHere } from '../support/server.ts'

t.jobs = 2

const commandsOn =
  (DATA_DIR: string, ADMIN_TOKEN = adminToken) =>
  (...args: string[]) =>
    runReprise(['token', ...args], { DATA_DIR, ADMIN_TOKEN })
const lastLine = (text: string) => text.trimEnd().split('\n').at(-1) ?? ''

/** What a server leaves that has run there. */
const usedFolder = async (t: Test, dataDir = t.testdir()): Promise<string> => {
  await (await serveHere(t, { DATA_DIR: dataDir })).stop()
  return dataDir
}

t.test('without a server, on the data folder', async t => {
  const dataDir = await usedFolder(t)
  const token = commandsOn(dataDir)
  const made = await token('create', '--role', 'user', '--user-id', 'ada', '--name', 'Laptop of Ada')
  t.equal(made.code, 0)
  const secret = lastLine(made.stdout)
  t.match(secret, /^rp_[\w-]{43}$/, 'the token alone is the last line of stdout')
  const id = made.stderr.match(/tok_\w+/)?.[0] ?? ''
  t.notMatch(made.stderr, secret)

  const listed = await token('list')
  t.match(listed, { code: 0, stderr: '' })
  t.match(listed.stdout, new RegExp(`^${id} +user +ada +never expires +Laptop of Ada\n$`))
  t.notMatch(listed.stdout, secret)
  for (const file of readdirSync(dataDir)) {
    if (statSync(path.join(dataDir, file)).isDirectory()) continue
    t.notOk(readFileSync(path.join(dataDir, file)).includes(secret), `${file} holds no token`)
  }

  const server = await serveHere(t, { DATA_DIR: dataDir })
  const { user_id } = await createTask(apiOf(server.url, secret), { user_message_content: 'hello' })
  t.equal(user_id, 'ada', 'the next server knows it')
  await server.stop()

  t.match(await token('revoke', secret), { code: 0, stdout: '', stderr: 'revoked\n' })
  t.match(await token('list'), { code: 0, stdout: '' })
  const again = await serveHere(t, { DATA_DIR: dataDir })
  t.equal((await apiOf(again.url, secret)('GET', '/tasks')).status, 401)
})

t.test('beside a running server, through it', async t => {
  const { dataDir, url, api } = await serveHere(t)
  const token = commandsOn(dataDir)
  const [user, auditor, brief] = await Promise.all([
    token('create', '--role', 'user', '--user-id', 'ada'),
    token('create', '--role', 'auditor'),
    token('create', '--role', 'user', '--ttl', '1'),
  ])
  for (const { code, stdout } of [user, auditor, brief]) {
    t.equal(code, 0)
    t.match(lastLine(stdout), /^rp_[\w-]{43}$/)
  }
  const as = (made: { stdout: string }) => apiOf(url, lastLine(made.stdout))
  const hello = { user_message_content: 'hello', stream: false, client_id: 'echo' }

  const { user_id } = await createTask(as(user), hello)
  t.equal(user_id, 'ada')
  t.equal((await as(user)('POST', '/tasks', { ...hello, user_id: 'bob' })).status, 403)
  await createTask(api, { ...hello, user_id: 'bob' })
  const seen = (await (await as(user)('GET', '/tasks')).json()) as { result: { user_id: string }[] }
  t.same(new Set(seen.result.map(task => task.user_id)), new Set(['ada']), 'a user id narrows')
  t.equal((await as(auditor)('GET', '/tasks')).status, 200)
  t.equal((await as(auditor)('POST', '/tasks', hello)).status, 403, 'a role narrows')
  t.equal((await as(user)('GET', '/auth/tokens')).status, 403)
  await sleep(1000)
  t.equal((await as(brief)('GET', '/tasks')).status, 401, 'a token ends with its ttl')

  const listed = await token('list')
  t.equal(listed.code, 0)
  t.equal(listed.stdout.match(/^tok_\w+ /gm)?.length, 3)
  t.match(listed.stdout, /^tok_\w+ +user +\(all users\) +expires \d{4}-\d\d-\d\dT[\d:.]+Z$/m)
  for (const made of [user, auditor, brief]) t.notMatch(listed.stdout, lastLine(made.stdout))

  const auditorId = auditor.stderr.match(/tok_\w+/)?.[0] ?? ''
  const [byId, byToken] = await Promise.all([
    token('revoke', auditorId),
    token('revoke', lastLine(user.stdout)),
  ])
  t.match([byId, byToken], [{ code: 0 }, { code: 0 }])
  t.equal((await as(auditor)('GET', '/tasks')).status, 401, 'at once')
  t.equal((await as(user)('GET', '/tasks')).status, 401)
})

t.test('revoking what is not there: one line; the answer is no, and that is exit code 1', async t => {
  const { dataDir } = await serveHere(t)
  const beside = await commandsOn(dataDir)('revoke', 'tok_none')
  const without = await commandsOn(await usedFolder(t))('revoke', 'tok_none')
  for (const { code, stdout, stderr } of [beside, without]) {
    t.equal(code, 1)
    t.equal(stdout, '')
    t.equal(stderr, 'reprise: no such token\n')
  }
})

t.test('a wrong admin token is refused by the server, in one line', async t => {
  const { dataDir } = await serveHere(t)
  const { code, stdout, stderr } = await commandsOn(dataDir, 'wrong')('list')
  t.match({ code, stdout }, { code: 2, stdout: '' })
  t.match(stderr, /^reprise: .+\n$/)
})

t.test('a time to live that no clock can hold is refused, and the list stays readable', async t => {
  const { api } = await serveHere(t, { DATA_DIR: t.testdir({ beside: {}, without: {} }) })
  t.equal((await api('POST', '/auth/tokens', { role: 'user', ttl: 99999999999999 })).status, 422)
  const token = commandsOn(path.join(t.testdirName, 'without'))
  const made = await token('create', '--role', 'user', '--ttl', '99999999999999')
  t.match(made, { code: 2, stdout: '' })
  t.match(await token('list'), { code: 2, stderr: /^reprise: no log here: .+\n$/ }, 'nothing was made')
})

t.test('where no log is, commands say so and make nothing', async t => {
  const folder = t.testdir({ empty: {}, begun: { 'log.db': '' } })
  const commands = [
    ['token', 'create', '--role', 'user'],
    ['token', 'list'],
    ['token', 'revoke', 'x'],
    ['history', 'x'],
    ['tail'],
    ['replay', '--all'],
    ['replay', 'x'],
    ['rebuild'],
    ['backup', path.join(folder, 'x.db')],
  ]
  await Promise.all(
    ['none', 'empty', 'begun'].map(async name => {
      const DATA_DIR = path.join(folder, name)
      const says = `reprise: no log here: ${DATA_DIR} has no log.db. Set DATA_DIR to the data folder of a server, or start one: reprise serve\n`
      for (const args of name === 'none' ? commands : commands.filter(([verb]) => verb === 'backup')) {
        t.same(await runReprise(args, { DATA_DIR }), { code: 2, stdout: '', stderr: says }, args.join(' '))
      }
    }),
  )
  t.same(readdirSync(folder, { recursive: true }).sort(), ['begun', path.join('begun', 'log.db'), 'empty'])
})

t.test('the log says by whom a token was made and revoked, and on which way', async t => {
  const dataDir = await usedFolder(t)
  const token = commandsOn(dataDir)
  const ids = [(await token('create', '--role', 'user')).stderr.match(/tok_\w+/)?.[0] ?? '']
  await token('revoke', ids[0] ?? '')
  const { api } = await serveHere(t, { DATA_DIR: dataDir })
  ids.push((await token('create', '--role', 'admin')).stderr.match(/tok_\w+/)?.[0] ?? '')
  const mine = (await (await api('POST', '/auth/tokens', { role: 'admin' })).json()) as {
    id: string
    token: string
  }
  const as = { authorization: `Bearer ${mine.token}`, 'x-request-id': 'req_mine' }
  const made = (await (await api('POST', '/auth/tokens', { role: 'user' }, as)).json()) as { id: string }
  await api('DELETE', `/auth/tokens/${made.id}`, undefined, as)
  const { data: events } = (await (await api('GET', '/audit/events?limit=100')).json()) as {
    data: { type: string; principal: string; causation_id: string; data: { token_id: string } }[]
  }
  t.equal(events[0]?.type, 'AuditKeyChanged')
  const told = events
    .slice(1)
    .map(event => [event.type, event.data.token_id, event.principal, event.causation_id])
  t.match(told, [
    ['TokenCreated', ids[0], 'admin', 'command line'],
    ['TokenRevoked', ids[0], 'admin', 'command line'],
    ['TokenCreated', ids[1], 'admin', /^req_/],
    ['TokenCreated', mine.id, 'admin', /^req_/],
    ['TokenCreated', made.id, mine.id, 'req_mine'],
    ['TokenRevoked', made.id, mine.id, 'req_mine'],
  ])
})

t.test('an address that somebody else listens on now is not taken for the server', async t => {
  t.testdir({ other: {}, mine: {} })
  await usedFolder(t, path.join(t.testdirName, 'mine'))
  const other = await serveHere(t, { DATA_DIR: path.join(t.testdirName, 'other'), ADMIN_TOKEN: 'not-ours' })
  // What kill -9 leaves: a server.json, and a port that another server has got since.
  const mine = path.join(t.testdirName, 'mine')
  writeFileSync(path.join(mine, 'server.json'), JSON.stringify({ url: other.url, pid: 1 }))
  const { code, stdout, stderr } = await commandsOn(mine)('create', '--role', 'user')
  t.equal(code, 0, stderr)
  t.match(lastLine(stdout), /^rp_[\w-]{43}$/)
  t.notOk(
    existsSync(path.join(mine, 'server.json')),
    'the command has locked the folder, and removed the address',
  )
  t.match((await commandsOn(mine)('list')).stdout, /^tok_/)
})

t.test('--json says the same on stdout, beside a server and without one', async t => {
  const { dataDir, stop } = await serveHere(t)
  const token = commandsOn(dataDir)
  const round = async () => {
    const made = await token('create', '--role', 'user', '--user-id', 'ada', '--ttl', '60', '--json')
    const { id, token: secret, ...rest } = JSON.parse(made.stdout)
    t.match(secret, /^rp_[\w-]{43}$/)
    const { expires_at } = rest
    t.ok(Math.abs(expires_at - Date.now() / 1000 - 60) < 30, 'in seconds')
    t.same(rest, { role: 'user', name: null, user_id: 'ada', expires_at })
    t.same(JSON.parse((await token('list', '--json')).stdout), { id, ...rest, last_used_at: null })
    t.same(JSON.parse((await token('revoke', secret, '--json')).stdout), { revoked: id })
    t.match(await token('list', '--json'), { code: 0, stdout: '', stderr: '' })
  }
  await round()
  await stop()
  await round()
})
