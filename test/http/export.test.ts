// GET /audit/export: the archive of a history, which its owner gets without access to the folder.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { unpack } from '../../src/platform/files/tar.ts'
import { isExportFile } from '../../src/proof/export/format.ts'
import { brief, read, until } from '../support/http.ts'
import { type Api, apiOf, runReprise, serveHere } from '../support/server.ts'
import { script } from './agent-tasks.ts'

const { api, url, dataDir, system } = await serveHere(t)
const tokenOf = async (body: object): Promise<Api> => {
  const { body: made } = await read(api('POST', '/auth/tokens', body))
  return apiOf(url, (made as unknown as { token: string }).token)
}
const ada = await tokenOf({ role: 'user', user_id: 'ada' })
const bob = await tokenOf({ role: 'user', user_id: 'bob' })
const anyone = await tokenOf({ role: 'user' })
const auditor = await tokenOf({ role: 'auditor' })
const subscriber = await tokenOf({ role: 'subscriber' })
const create = (who: Api, task_id: string, more: object = {}) =>
  read(
    who('POST', '/tasks', { user_message_content: 'x', stream: false, client_id: 'echo', task_id, ...more }),
  )
await create(ada, 'adas', { session_id: 's1' })
await create(ada, 'next', { session_id: 's1' })
await create(bob, 'bobs', { session_id: 's1' })
const long = 'long '.repeat(100_000)
await create(ada, 'long', { agent_config: script({ message: long }), client_id: undefined })

const root = mkdtempSync(path.join(tmpdir(), 'exported-'))
t.teardown(() => rmSync(root, { recursive: true, force: true }))
const keyOf = async () => (await (await ada('GET', '/audit/public-key')).text()).split(' ')[0] ?? ''

/** Gets an archive, unpacks it, and runs the verifier that is in it. */
let made = 0
const exported = async (who: Api, query: string) => {
  const answer = await who('GET', `/audit/export?${query}`)
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  const folder = path.join(root, String(++made))
  const archive = `${folder}.tar.gz`
  writeFileSync(archive, Buffer.from(await answer.arrayBuffer()))
  await unpack(archive, folder, isExportFile)
  const { status, stdout } = spawnSync(process.execPath, ['verify.mjs', '--key', await keyOf()], {
    cwd: folder,
    encoding: 'utf8',
  })
  const events = readdirSync(path.join(folder, 'events')).flatMap(name =>
    readFileSync(path.join(folder, 'events', name), 'utf8')
      .trimEnd()
      .split('\n')
      .map(
        line =>
          JSON.parse((JSON.parse(line) as { header: string }).header) as { stream: string; owner: string },
      ),
  )
  return {
    archive,
    folder,
    status,
    stdout,
    streams: [...new Set(events.map(({ stream }) => stream))].sort(),
    events,
  }
}

t.test('a user exports own tasks, and the verifier in the archive accepts them', async t => {
  const task = await exported(ada, 'task_id=adas')
  t.equal(task.status, 0, task.stdout)
  t.same(task.streams, ['task-adas'])
  const session = await exported(ada, 'session_id=s1')
  t.equal(session.status, 0, session.stdout)
  t.same(
    session.streams,
    ['task-adas', 'task-next'],
    'and not the task of the other user in a session of this name',
  )
  const user = await exported(ada, 'user_id=ada')
  t.equal(user.status, 0, user.stdout)
  t.ok(user.events.every(({ owner }) => owner === 'ada'))
  t.same(
    user.streams.filter(stream => !stream.startsWith('principal-')),
    ['task-adas', 'task-long', 'task-next'],
  )
})

t.test('an erasure of tasks of several users shows each user only the own ones', async t => {
  const ids = ['ada-1', 'bob-1', 'ada-2', 'bob-2']
  for (const id of ids) await create(id.startsWith('ada') ? ada : bob, id, { session_id: `old-${id}` })
  const asked = {
    principal: { id: 'system', role: 'admin', userId: undefined, expiresAt: undefined } as const,
  }
  const rows = ids.flatMap(id => system.tasks.queries.erasable.byId(id) ?? [])
  let erased = 0
  for await (const part of system.erasures.retire({ ...asked, requestId: 'old' }, rows, 'old')) erased += part
  t.equal(erased, ids.length)
  const { status, folder, streams } = await exported(ada, 'session_id=old-ada-2')
  t.same([status, streams], [0, ['task-ada-2']])
  const erasures = readFileSync(path.join(folder, 'erasures.ndjson'), 'utf8')
  t.match(erasures, /task-ada-2/)
  t.notMatch(erasures, /task-bob/)
})

t.test('it is the export of the command', async t => {
  const { archive, folder } = await exported(ada, 'task_id=long')
  const out = path.join(root, 'by-command')
  const ran = await runReprise(['export', 'long', '--out', out], { DATA_DIR: dataDir })
  t.equal(ran.code, 0, ran.stderr)
  t.same(readdirSync(folder).sort(), readdirSync(out).sort())
  const eventsIn = (where: string) =>
    readFileSync(path.join(where, 'events/1.ndjson'), 'utf8')
      .split('\n')
      .map(line => line.replace(/,"hashes".*/, ''))
  t.same(eventsIn(folder), eventsIn(out))
  const verified = await runReprise(['verify', archive, '--key', await keyOf()])
  t.equal(verified.code, 0, verified.stderr)
  t.match(verified.stdout, /task long/)
})

t.test('auditors and admins export everything, and each sees what it may see', async t => {
  const whole = await exported(auditor, 'all=true')
  t.equal(whole.status, 0, whole.stdout)
  t.ok(whole.streams.includes('audit-key') && whole.streams.includes('task-bobs'))
  t.same((await exported(auditor, 'session_id=s1')).streams, ['task-adas', 'task-bobs', 'task-next'])
  for (const query of ['task_id=bobs', 'task_id=nothing', 'user_id=bob', 'session_id=nothing'])
    t.match(await read(ada('GET', `/audit/export?${query}`)), { status: 404, body: { code: -32001 } }, query)
  for (const who of [ada, anyone, subscriber])
    t.equal((await who('GET', '/audit/export?all=true')).status, 403)
  await ada('DELETE', '/tasks/next')
  t.equal((await ada('GET', '/audit/export?task_id=next')).status, 404)
  t.same((await exported(auditor, 'task_id=next')).streams, ['task-next'], 'also what was deleted')
})

t.test('a request that names not one thing is refused', async t => {
  for (const query of ['', 'task_id=a&user_id=b', 'all=false', 'all=yes', 'task_id=']) {
    const { status, body } = await read(api('GET', `/audit/export?${query}`))
    t.equal(status, 422, query)
    t.match(brief(body.detail), [/^query /], query)
  }
})

t.test('one user gets two exports at a time, and nothing is left of them', async t => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => ada('GET', '/audit/export?user_id=ada')))
  for (const answer of answers) t.equal(answer.status, 200)
  const [cut, ...read] = answers
  await cut?.body?.cancel()
  for (const answer of read) t.ok((await answer.arrayBuffer()).byteLength > 1000)
  await until(
    () =>
      !existsSync(path.join(dataDir, 'exports')) || readdirSync(path.join(dataDir, 'exports')).length === 0,
  )
  t.pass('no file is left')
})
