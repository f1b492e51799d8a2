// A whole log read by somebody who wants to know whether it is what it was.

import { createHash } from 'node:crypto'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { openLogReadOnly } from '../../src/log/read-only.ts'
import { checkLog, type Damage } from '../../src/maintenance/verify/check-log.ts'
import { filesOf } from '../../src/platform/files/data-folder.ts'
import { storedEvents } from '../server/stored-log.ts'
import { givenFolder, spoilt } from './folder.ts'

const checked = async (dataDir: string) => {
  const log = openLogReadOnly(filesOf(dataDir).log)
  const damaged: Damage[] = []
  const counts = await checkLog(
    log,
    damage => void damaged.push(damage),
    () => {},
  )
  await log.close()
  return { ...counts, damaged }
}

t.test('a log that is as it was is counted: events, streams, tasks, frames', async t => {
  const { dataDir } = await givenFolder(t)
  const stored = storedEvents(dataDir)
  const streams = new Set(stored.map(({ stream }) => stream))
  t.same(await checked(dataDir), {
    damaged: [],
    position: stored.length,
    events: stored.length,
    streams: streams.size,
    erased_streams: 0,
    tasks: [...streams].filter(stream => stream.startsWith('task-')).length,
    frames: stored.reduce((sum, { frames = 0 }) => sum + frames, 0),
  })
})

t.test('every damage is named by its position, and the rest is read all the same', async t => {
  const { dataDir, id } = await givenFolder(t)
  const where = `stream_no = (SELECT no FROM streams WHERE id = 'task-${id}') AND revision = 3`
  const db = new Database(path.join(dataDir, 'log.db'), { readonly: true })
  const at = db.prepare<[], number>(`SELECT position FROM events WHERE ${where}`).pluck().get() ?? 0
  const last = db.prepare<[], number>('SELECT max(position) FROM events').pluck().get() ?? 0
  const no = db.prepare<[], number>('SELECT stream_no FROM events WHERE position = 1').pluck().get() ?? 0
  db.close()
  const spoils: [sql: string, position: number, reason: RegExp][] = [
    [`UPDATE events SET payload = '{"x":1}' WHERE ${where}`, at, /does not match its digest/],
    [`UPDATE events SET salt = 'x' WHERE ${where}`, at, /does not match its digest/],
    [`UPDATE events SET header = replace(header, '"owner"', '"Owner"') WHERE ${where}`, at, /match its leaf/],
    [`UPDATE events SET payload = NULL WHERE ${where}`, at, /has no payload/],
    [`DELETE FROM events WHERE ${where}`, at, /is missing/],
    [`UPDATE events SET position = ${last + 5} WHERE position = ${last}`, last, /is missing/],
    [`UPDATE streams SET id = 'task-other' WHERE no = ${no}`, 1, /is stored under another stream/],
    [`DELETE FROM streams WHERE no = ${no}`, 1, /is missing/],
  ]
  const copies = t.testdir()
  const whole = await checked(dataDir)
  for (const [n, [sql, position, reason]] of spoils.entries()) {
    const { damaged, streams } = await checked(spoilt(dataDir, path.join(copies, String(n)), 'log.db', sql))
    t.match(damaged.find(damage => damage.position === position)?.reason, reason, sql)
    t.ok(damaged.length <= 2)
    t.ok(streams >= whole.streams - 1, 'other streams are read')
  }
})

t.test('events that are whole but give other frames than they were numbered for are damage', async t => {
  const { dataDir } = await givenFolder(t)
  const copy = path.join(t.testdir(), 'copy')
  const leafOf = (header: string) => createHash('sha256').update(`\0${header}`).digest('base64url')
  const event = storedEvents(dataDir).find(({ type }) => type === 'TaskStarted')
  const db = new Database(path.join(dataDir, 'log.db'), { readonly: true })
  const header = db
    .prepare<[number | undefined], string>('SELECT header FROM events WHERE position = ?')
    .pluck()
    .get(event?.position)
  db.close()
  const other = (header ?? '').replace('"frames":1', '"frames":2')
  t.not(other, header)
  const sql = `UPDATE events SET header = '${other}', leaf = '${leafOf(other)}' WHERE position = ${event?.position}`
  const { damaged } = await checked(spoilt(dataDir, copy, 'log.db', sql))
  t.match(damaged, [
    { position: event?.position, reason: /gives 1 frames from \d+, and its header numbers them differently/ },
  ])
})
