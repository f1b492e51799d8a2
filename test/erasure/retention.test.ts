// Retention erases old tasks once a day, and leaves what is held or needed.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { createRetention, retentionStream } from '../../src/erasure/retention.ts'
import { readRetention } from '../../src/erasure/retention-rules.ts'
import type { Erasures } from '../../src/erasure/system.ts'
import { refusedStart, serveHere } from '../support/server.ts'
import { makeTask, ok, scripted } from './support.ts'

t.test('a file with a wrong rule is named in one line', async t => {
  const folder = t.testdir({})
  const file = path.join(folder, 'retention.json')
  for (const [text, says] of [
    ['{', /is not JSON/],
    ['{}', /must hold a JSON list/],
    ['[3]', /rule 1: an object is needed/],
    ['[{"older_than_days": 0}]', /rule 1: "older_than_days" must be a number above 0/],
    ['[{"older_than_days": 1}, {}]', /rule 2: "older_than_days"/],
    ['[{"older_than_days": 1, "status": "working"}]', /"status" must be one of completed/],
    ['[{"older_than_days": 1, "user": "anna"}]', /there is no field "user"/],
    ['[{"older_than_days": 1, "agent": 7}]', /"agent" must be a text/],
  ] as const) {
    writeFileSync(file, text)
    t.throws(() => readRetention(file), { message: says }, text)
  }
  t.throws(() => readRetention(path.join(folder, 'none')), { message: /cannot be read/ })
  t.same(readRetention(undefined), [])
  writeFileSync(file, '[{"older_than_days": -1}]')
  const { code, stderr } = await refusedStart(path.join(folder, 'data'), { RETENTION: file })
  t.equal(code, 2)
  t.match(stderr, /RETENTION=.*rule 1: "older_than_days"/)
})

const dayMs = 24 * 3600 * 1000
const failing = scripted({ fail: { code: 1, message: 'no' } })

/** Retention over a server of this process, with a clock that the test sets. */
const retentionOf = (
  { system }: Pick<Awaited<ReturnType<typeof serveHere>>, 'system'>,
  statuses: string[],
  retire: Erasures['retire'] = system.erasures.retire,
) => {
  let now = Date.now()
  const { log, tasks } = system
  const retention = createRetention({
    log,
    rows: tasks.queries.erasable,
    retire,
    rules: statuses.map(status => ({ status, older_than_days: 2 })),
    clock: { now: () => now },
    timers: { after: () => () => {}, every: () => () => {} },
    ids: { next: prefix => `${prefix}1` },
    report: () => {},
  })
  const later = (days: number): void => {
    now += days * dayMs
  }
  return { ...retention, later }
}

t.test('what a rule names is erased when a day has passed, and what is held or needed stays', async t => {
  const server = await serveHere(t)
  const { api, system } = server
  const old = await makeTask(api, { user_message_content: 'old' })
  const failed = await makeTask(api, { user_message_content: 'x', ...failing })
  const held = await makeTask(api, { user_message_content: 'held', user_id: 'bert' })
  await ok(api('POST', '/audit/holds', { user_id: 'bert', reason: 'case 1' }))
  const quoted = await makeTask(api, { user_message_content: 'quoted', session_id: 's' })
  const waiting = await makeTask(api, {
    user_message_content: 'waits',
    session_id: 's',
    agent_config: { agent_id: 'script', script: [{ pause: 'for a while' }] },
  })
  t.equal(waiting.status, 'paused')

  const { log } = system
  const retention = retentionOf(server, ['completed'])
  const isThere = async (id: string) => (await api('GET', `/tasks/${id}`)).status === 200
  await retention.look()
  t.ok(await isThere(old.id), 'two days have not passed')
  t.match(await log.lastOf(retentionStream), { data: { erased: 0, kept: 0 } })
  const head = log.head()
  await retention.look()
  t.equal(log.head(), head, 'once a day')
  retention.later(3)
  await retention.look()
  t.notOk(await isThere(old.id))
  t.ok(await isThere(failed.id), 'another status')
  t.ok(await isThere(held.id), 'under a hold')
  t.ok(await isThere(quoted.id), 'an unfinished task quotes it')
  t.match(retention.counts(), { erased: 1, kept: 2, failures: 0 })
  t.match(await log.lastOf(retentionStream), { data: { erased: 1, kept: 2 } })
  const again = await ok<{ reason: string; subject: object }>(
    api('DELETE', `/tasks/${old.id}?erase=true&reason=x`),
  )
  t.match(again, { reason: 'retention, status completed, older than 2 days', subject: { kind: 'retention' } })
})

t.test(
  'while a backup reads the log, the rules are applied, and what they erase is counted',
  {
    timeout: 90_000, // the erasure waits for the backup
  },
  async t => {
    const server = await serveHere(t)
    const { api, system, dataDir } = server
    await makeTask(api, { user_message_content: 'x' })
    const retention = retentionOf(server, ['completed'])
    retention.later(3)
    const reader = new Database(path.join(dataDir, 'log.db'), { readonly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM events').get()
    await retention.look()
    reader.close()
    t.not(system.erasures.counts().pending, 0, 'traces are left until the reader has ended')
    t.match(await system.log.lastOf(retentionStream), { data: { erased: 1, kept: 0 } })
    t.match(retention.counts(), { erased: 1, kept: 0, failures: 0 })
  },
)

t.test('what was erased before a rule failed is counted when the rules are applied again', async t => {
  const server = await serveHere(t)
  const { api, system } = server
  await makeTask(api, { user_message_content: 'x' })
  await makeTask(api, { user_message_content: 'x', ...failing })
  let isBroken = true
  const retention = retentionOf(server, ['completed', 'failed'], async function* (asked, tasks, reason) {
    if (isBroken && reason.includes('failed')) throw new Error('the log cannot be written')
    yield* system.erasures.retire(asked, tasks, reason)
  })
  retention.later(3)
  await retention.look()
  t.match(retention.counts(), { erased: 1, failures: 1 })
  isBroken = false
  await retention.look()
  t.match(retention.counts(), { erased: 2, failures: 1 })
  t.match(await system.log.lastOf(retentionStream), { data: { erased: 2, kept: 0 } })
})
