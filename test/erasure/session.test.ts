// A session with three turns, a subagent and a fork is erased: nothing of it is left in any file, and everything else
// goes on.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { pause } from '../support/http.ts'
import { adminToken, runReprise, spawnServer } from '../support/server.ts'
import { type Erased, filesWith, jsonOf, makeTask, nothingIn, ok, scripted, secret } from './support.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'reprise-erase-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const dataDir = path.join(folder, 'data')
const env = { ADMIN_TOKEN: adminToken, DATA_DIR: dataDir, WORKSPACE_ROOT: path.join(dataDir, 'workspaces') }

const server = await spawnServer(t, dataDir, env)
const { api } = server
const long = `${secret} `.repeat(40_000)
const inSession = { session_id: 'chat', user_id: 'anna', rollout_save_dir: 'saved', log_dir: 'saved' }

const first = await makeTask(api, {
  ...inSession,
  user_message_content: `${secret} one`,
  ...scripted(
    { tool: 'write_file', arguments: { path: 'notes.txt', content: `${secret} in a file` } },
    { subagent: 'echo', input: `${secret} for a subagent` },
    { message: `${secret} answer` },
  ),
})
const second = await makeTask(api, { ...inSession, user_message_content: `${secret} two` })
const third = await makeTask(api, { ...inSession, user_message_content: `${secret} three ${long}` })
const fork = await ok<{ id: string }>(
  api('POST', `/tasks/${second.id}/fork`, { at: 3, user_message_content: `${secret} otherwise` }),
)
const other = await makeTask(api, { user_id: 'bert', user_message_content: 'kept by bert' })
const all = async (): Promise<string[]> => {
  const list = await jsonOf<{ result: { id: string }[] }>(
    api('GET', '/tasks?limit=100&include_subtasks=true'),
  )
  return list.result.map(({ id }) => id)
}
const before = await all()
const child = before.find(id => ![first.id, second.id, third.id, fork.id, other.id].includes(id)) ?? ''
const settled = async (): Promise<boolean> => {
  const { result } = await jsonOf<{ result: { status: string } }>(api('GET', `/tasks/${fork.id}`))
  return (
    result.status === 'completed' &&
    filesWith(dataDir, secret).filter(name => name.endsWith('.jsonl')).length >= 6
  )
}
for (let tries = 0; !(await settled()) && tries < 200; tries++) await pause(50)

t.test('without cascade, the fork is named and nothing is erased', async t => {
  t.equal(before.length, 6, 'three turns, a subagent, a fork, and the task of somebody else')
  const refused = await api('DELETE', '/env/session/chat?erase=true&reason=gdpr')
  t.equal(refused.status, 409)
  t.match(await refused.json(), {
    data: { dependants: { tasks: [{ id: fork.id, why: /^(a fork of|quotes) it$/ }] } },
  })
  t.equal((await all()).length, 6)
})

t.test('the session is erased with its subagent and its fork', async t => {
  const answer = await ok<Erased>(api('DELETE', '/env/session/chat?erase=true&cascade=true&reason=gdpr'))
  t.same(answer.erased.tasks.toSorted(), [first.id, second.id, third.id, child, fork.id].toSorted())
  t.same(
    answer.not_erased.map(({ what }) => what),
    ['backups', 'exports', 'what was sent away'],
  )
  nothingIn(t, dataDir, secret, 'no file of the folder')
  const again = await ok<Erased>(api('DELETE', '/env/session/chat?erase=true&cascade=true&reason=again'))
  t.same(again, answer, 'the same request gets the same answer')
  t.same(await ok(api('DELETE', `/tasks/${first.id}?erase=true&reason=again`)), answer)

  for (const id of answer.erased.tasks) {
    for (const where of ['', '?as_of=position:10', '/events', '/rollouts', '/machine'])
      t.equal((await api('GET', `/tasks/${id}${where}`)).status, 404, where)
    t.equal((await api('POST', `/tasks/${id}/replay`)).status, 404)
    t.equal((await api('POST', `/tasks/${id}/reward`, { value: 1 })).status, 404)
  }
  t.same(await all(), [other.id])
  const then = `/tasks?limit=100&as_of=position:${answer.position - 12}`
  const past = await jsonOf<{ result: { id: string }[] }>(api('GET', then))
  t.same(
    past.result.map(({ id }) => id),
    [other.id],
    'nor in a list of the past',
  )
  t.equal(
    (await api('POST', '/tasks', { task_id: first.id, stream: false, user_message_content: 'x' })).status,
    409,
  )

  const trail = await jsonOf<{ data: Record<string, unknown>[] }>(
    api('GET', `/audit/events?stream=task-${first.id}`),
  )
  t.ok(trail.data.length > 10)
  for (const event of trail.data)
    t.match(event, {
      erased: true,
      erased_by: answer.position,
      payload: null,
      salt: null,
      data: null,
      header: String,
    })

  const stream = await fetch(`${server.url}/api/events`, {
    headers: { authorization: `Bearer ${adminToken}`, 'last-event-id': 'earliest' },
  })
  let seen = ''
  for await (const chunk of stream.body ?? []) {
    seen += Buffer.from(chunk).toString()
    if (seen.includes(`"task_id":"${other.id}"`) && seen.includes('event: Gap')) break
  }
  t.match(seen, /event: Gap\ndata: {"type":"Gap".*"reason":"erased"/)
  t.notMatch(seen, secret)
})

t.test('the log still proves everything, and says what was erased', async t => {
  const verified = await runReprise(['verify'], env)
  t.equal(verified.code, 0, verified.stdout + verified.stderr)
  t.match(verified.stdout, /payloads were erased/)
  const replayed = await runReprise(['replay', '--all'], env)
  t.equal(replayed.code, 0, replayed.stdout + replayed.stderr)
  t.match(replayed.stdout, /5 streams have erased events/)
  for (const what of [['--all'], ['--session', 'chat'], ['--user', 'anna'], [first.id]]) {
    const out = path.join(folder, `export-${what.at(-1)}`)
    const exported = await runReprise(['export', ...what, '--out', out], env)
    t.equal(exported.code, 0, exported.stderr)
    const key = (await (await api('GET', '/audit/public-key')).text()).split(' ')[0] ?? ''
    const checked = await runReprise(['verify', out, '--key', key], env)
    t.equal(checked.code, 0, checked.stdout + checked.stderr)
    t.match(checked.stdout, /payloads were erased/, what.join(' '))
    nothingIn(t, out, secret, 'the export')
  }
})

t.test('a start from nothing but the log comes to the same', async t => {
  await server.end('SIGTERM')
  rmSync(path.join(dataDir, 'read.db'))
  const again = await spawnServer(t, dataDir, env)
  t.equal((await again.api('GET', `/tasks/${first.id}`)).status, 404)
  const list = await jsonOf<{ result: { id: string }[] }>(again.api('GET', '/tasks?limit=100'))
  t.same(
    list.result.map(({ id }) => id),
    [other.id],
  )
  const replayed = await runReprise(['replay', '--all'], env)
  t.equal(replayed.code, 0, replayed.stdout + replayed.stderr)
  t.equal((await again.api('DELETE', '/env/session/chat?erase=true&reason=again')).status, 200)
  const next = await makeTask(again.api, { ...inSession, user_message_content: 'a new beginning' })
  t.equal(next.status, 'completed')
})

t.test('a payload that is gone without an erasure is named', async t => {
  const copy = path.join(folder, 'forged.db')
  writeFileSync(copy, '')
  rmSync(copy)
  const db = new Database(path.join(dataDir, 'log.db'), { readonly: true })
  db.prepare('VACUUM INTO ?').run(copy)
  db.close()
  const forged = new Database(copy)
  const at = forged
    .prepare('SELECT max(position) FROM events e JOIN streams s ON s.no = e.stream_no WHERE s.id = ?')
    .pluck()
    .get(`task-${other.id}`)
  forged.exec('DROP TRIGGER events_are_never_changed')
  forged.prepare('UPDATE events SET payload = NULL, salt = NULL WHERE position = ?').run(at)
  forged.close()
  const verified = await runReprise(['verify', copy], env)
  t.equal(verified.code, 1)
  t.match(
    verified.stdout + verified.stderr,
    new RegExp(`position ${at}, task-${other.id}: the event has no payload`),
  )
})
