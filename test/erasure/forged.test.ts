// Payloads that somebody with the file has taken away, with a table of erasures that was forged to hide it: they are
// named as damage, and never as erased.

import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { refusedStart, runReprise, serveHere } from '../support/server.ts'
import { makeTask, ok } from './support.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'reprise-forged-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const honest = path.join(folder, 'honest')
const first = await serveHere(t, { DATA_DIR: honest })
const victim = await makeTask(first.api, { user_message_content: 'x', user_id: 'anna' })
const gone = await makeTask(first.api, { user_message_content: 'y', user_id: 'anna' })
const { position: erasure } = await ok<{ position: number }>(
  first.api('DELETE', `/tasks/${gone.id}?erase=true&reason=asked`),
)
const newest = await makeTask(first.api, { user_message_content: 'z', user_id: 'anna' })
await first.stop()

/** A copy of the log in which somebody without a role has done this; the triggers are as they were. */
const forgedCopy = (name: string, ...statements: string[]): string => {
  const dataDir = path.join(folder, name)
  cpSync(honest, dataDir, { recursive: true })
  const db = new Database(path.join(dataDir, 'log.db'))
  const triggers = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  for (const sql of statements) db.exec(sql)
  for (const { sql } of triggers) db.exec(sql)
  db.close()
  return dataDir
}
const positionsOf = (taskId: string): number[] => {
  const db = new Database(path.join(honest, 'log.db'), { readonly: true })
  const found = db
    .prepare<[string], number>(
      'SELECT position FROM events WHERE stream_no = (SELECT no FROM streams WHERE id = ?) ORDER BY position',
    )
    .pluck()
    .all(`task-${taskId}`)
  db.close()
  return found
}
const emptied = (position: number) =>
  `UPDATE events SET payload = NULL, salt = NULL WHERE position = ${position}`
const row = (position: number, by: number) =>
  `INSERT INTO erased SELECT stream_no, ${position}, ${position}, ${by} FROM events WHERE position = ${position}`

const [at = 0] = positionsOf(victim.id).slice(2)
const [last = 0] = positionsOf(newest.id).slice(-1)
const says = /has no payload, and no (stored )?event says that it was erased/

for (const [name, by] of [
  ['an event that erased something else', erasure],
  ['an event that erases nothing', at - 1],
  ['an event that does not exist', 1_000_000],
] as const) {
  t.test(`a row of the table that names ${name}`, async t => {
    const dataDir = forgedCopy(`by ${by}`, emptied(at), row(at, by))
    const verified = await runReprise(['verify'], { DATA_DIR: dataDir })
    t.equal(verified.code, 1)
    t.match(
      verified.stdout + verified.stderr,
      new RegExp(`position ${at}, task-${victim.id}: the event ${says.source}`),
    )
    const { code, stderr } = await refusedStart(dataDir)
    t.equal(code, 2)
    t.match(
      stderr,
      new RegExp(`^reprise: .*log.db is damaged at position ${at}: restore it from a backup\n$`),
    )
  })
}

t.test('an event of an erasure that was changed covers nothing', async t => {
  const streams = `json_insert(payload, '$.streams[#]', 'task-${victim.id}')`
  const dataDir = forgedCopy(
    'changed',
    `UPDATE events SET payload = ${streams} WHERE position = ${erasure}`,
    emptied(at),
    row(at, erasure),
  )
  const verified = await runReprise(['verify'], { DATA_DIR: dataDir })
  t.equal(verified.code, 1)
  t.match(verified.stdout + verified.stderr, /the event does not match its digest/)
  t.equal((await refusedStart(dataDir)).code, 2)
})

t.test('readers of a server that goes on name it as damage, too', async t => {
  const dataDir = forgedCopy('read')
  const { api, url: _, ...server } = await serveHere(t, { DATA_DIR: dataDir })
  // The file is changed while the server runs, since a start would refuse it.
  const db = new Database(path.join(dataDir, 'log.db'))
  db.exec('DROP TRIGGER events_are_never_changed; DROP TRIGGER erased_is_what_an_event_names')
  for (const sql of [emptied(last), row(last, erasure)]) db.exec(sql)
  db.close()
  const { status, body } = await api('GET', `/audit/events?stream=task-${newest.id}&after=${last - 1}`).then(
    async answer => ({ status: answer.status, body: await answer.json() }),
  )
  t.match({ status, body }, { status: 503, body: { data: { position: last } } })
  const frames = await api('GET', `/tasks/${newest.id}/events`)
  const text = await frames.text().catch(() => 'broken off')
  t.ok(frames.status === 503 || /broken off|"code":-32603/.test(text), `${frames.status} ${text}`)
  t.equal((await api('GET', `/tasks/${gone.id}`)).status, 404, 'what was erased is still gone')
  const replayed = await runReprise(['replay', '--all'], { DATA_DIR: dataDir })
  t.equal(replayed.code, 1)
  t.match(replayed.stdout + replayed.stderr, new RegExp(`position ${last}.*has no payload`))
  const read = await runReprise(['history', newest.id], { DATA_DIR: dataDir })
  t.not(read.code, 0)
  t.notMatch(read.stdout, /erased by position/)
  await server.stop()
})
