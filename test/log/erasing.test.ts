// What may be destroyed in the log, and what is left of it.

import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { DamagedEvent, type StreamAppend } from '../../src/contract/stored.ts'
import { copyLog } from '../../src/log/file/copy.ts'
import { openForWriting } from '../../src/log/file/sqlite-file.ts'
import type { EventLog } from '../../src/log/log.ts'
import { all, dataOf, fileIn, onBothStores, openFile, rejection, streamOf, to } from './support.ts'

const secret = 'SECRET-OF-ANNA'
const text = (n: number) => ({ text: `${secret} ${n} ${'x'.repeat(n)}` })

/** An event that erases these streams up to a position. */
const erasing = (streams: string[], last: number, expectedRevision = -1, from = 1): StreamAppend => ({
  ...to('erasures', expectedRevision),
  events: [
    {
      type: 'PayloadsErased',
      schema_version: 1,
      data: { streams, from, to: last, reason: 'asked', by: 'admin', erasure_id: 'e1' },
    },
  ],
})

const erase = async (log: EventLog, streams: string[], revision = -1): Promise<boolean> => {
  const [stored] = await log.append([erasing(streams, log.head(), revision)])
  await log.destroy(stored?.position ?? 0)
  return log.wipe(false)
}

onBothStores('an erased event keeps its header and says what erased it', async (t, { log, reopened }) => {
  await log.append([to('task-a', -1, text(1), text(2)), to('task-b', -1, { n: 1 })])
  const leaves = [1, 2, 3].map(log.leafAt)
  t.equal(await erase(log, ['task-a']), true)
  const check = async (here: EventLog) => {
    const events = await all(here)
    t.same(dataOf(events.slice(0, 3)), [undefined, undefined, { n: 1 }])
    t.same(
      events.map(({ erased_by }) => erased_by),
      [4, 4, undefined, undefined],
    )
    t.equal(events[1]?.header.type, 'Happened')
    t.same(
      (await streamOf(here, 'task-a')).map(({ position }) => position),
      [1, 2],
    )
    t.same([1, 2, 3].map(here.leafAt), leaves)
    t.equal((await here.lastOf('task-a'))?.erased_by, 4)
    t.equal(here.lastAt(Number.MAX_SAFE_INTEGER), 4)
  }
  await check(log)
  const again = await reopened()
  await check(again)
  await again.destroy(4) // it changes nothing
  t.equal(await again.wipe(true), true)
  await again.append([to('task-a', 1, { n: 2 })])
  t.same(dataOf(await streamOf(again, 'task-a')), [undefined, undefined, { n: 2 }])
})

const bytesOf = (file: string): Buffer =>
  Buffer.concat([file, `${file}-wal`, `${file}-shm`].map(each => readFileSync(each)))

t.test('nothing of an erased payload is in the files, long payloads included', async t => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  const long = { text: `${secret}-long `.repeat(60_000) }
  for (let n = 0; n < 40; n++) {
    await log.append([to('task-a', n - 1, text(n * 50)), to('task-b', n - 1, { kept: 'y'.repeat(n * 50) })])
  }
  await log.append([to('task-a', 39, long)])
  t.ok(bytesOf(file).includes(secret))
  t.equal(await erase(log, ['task-a']), true)
  t.notOk(bytesOf(file).includes(secret), 'the bytes of log.db and its WAL')
  t.same(
    (await streamOf(log, 'task-a')).filter(({ erased_by }) => erased_by === undefined),
    [],
  )
  t.equal((await streamOf(log, 'task-b')).length, 40)
  // The number of an erased payload is not used again.
  await log.append([to('task-c', -1, long)])
  t.same(dataOf(await streamOf(log, 'task-c')), [long])
})

t.test('a reader that needs the WAL holds up the erasing of traces until it is done', async t => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  await log.append([to('task-a', -1, ...Array.from({ length: 20 }, (_, n) => text(n * 100)))])
  const reader = new Database(file, { readonly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM events').get()
  t.equal(await erase(log, ['task-a']), false)
  t.ok(bytesOf(file).includes(secret))
  t.equal(await log.wipe(false), false)
  reader.close()
  t.equal(await log.wipe(false), true)
  t.notOk(bytesOf(file).includes(secret))
})

t.test('a copy of the log gives back the space of what was erased', async t => {
  const folder = t.testdir({})
  const file = fileIn(folder)
  const log = await openFile(t, file)
  for (let n = 0; n < 40; n++)
    await log.append([to('task-a', 2 * n - 1, text(n), text(1500)), to('task-b', n - 1, text(n))])
  const copied = async (name: string) => {
    const copy = path.join(folder, name)
    await copyLog(file, copy, () => {})
    return { copy, bytes: statSync(copy).size }
  }
  const { bytes: before } = await copied('before.db')
  t.equal(await erase(log, ['task-a', 'task-b']), true)
  const { copy, bytes } = await copied('after.db')
  t.ok(statSync(file).size >= before, 'the file itself does not become smaller')
  t.ok(bytes < 0.8 * before, `${before} bytes before, and ${bytes} after`)
  t.equal(statSync(copy).mode & 0o777, 0o600)
  const db = openForWriting(copy, () => 'never')
  t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
  db.close()
})

const givenErasure = async (t: Test) => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  const long = { text: 'long '.repeat(60_000) }
  await log.append([to('task-a', -1, text(1), text(2)), to('task-b', -1, text(3)), to('log', -1, text(4))])
  await log.append([to('task-b', 0, long), to('task-a', 1, long)])
  await log.append([erasing(['task-a'], 3)])
  await log.close()
  const db = openForWriting(file, () => 'never')
  t.teardown(() => db.close())
  db.exec('INSERT INTO erased (stream_no, first, last, erased_by) VALUES (1, 1, 3, 7)')
  return db
}

t.test('the database erases only what a stored event names, and nothing else of it', async t => {
  const db = await givenErasure(t)
  const before = db.prepare('SELECT * FROM events').all()
  const all = 'stream_no, first, last, erased_by'
  for (const sql of [
    'UPDATE events SET payload = NULL WHERE position = 1',
    'UPDATE events SET salt = NULL WHERE position = 1',
    "UPDATE events SET payload = NULL, salt = NULL, header = '{}' WHERE position = 1",
    "UPDATE events SET payload = NULL, salt = NULL, leaf = '' WHERE position = 1",
    'UPDATE events SET payload = NULL, salt = NULL, position = 50 WHERE position = 1',
    'UPDATE events SET payload = NULL, salt = NULL, stream_no = 2 WHERE position = 1',
    "UPDATE events SET payload = '{}', salt = 'x' WHERE position = 1",
    'UPDATE events SET payload = NULL, salt = NULL WHERE position = 3',
    'UPDATE events SET payload = NULL, salt = NULL WHERE position = 6',
    'UPDATE events SET payload = NULL, salt = NULL',
    'DELETE FROM events WHERE position = 1',
    'DELETE FROM pieces',
    'DELETE FROM long_payloads',
    'DELETE FROM erased',
    'UPDATE erased SET last = 100',
    `REPLACE INTO erased (${all}) VALUES (1, 1, 100, 7)`,
    `INSERT INTO erased (${all}) VALUES (2, 1, 3, 7)`,
    `INSERT INTO erased (${all}) VALUES (3, 1, 4, 7)`,
    `INSERT INTO erased (${all}) VALUES (1, 1, 100, 6)`,
    `INSERT INTO erased (${all}) VALUES (1, 1, 3, 1)`,
  ])
    t.throws(
      () => db.exec(sql),
      { message: /^the log (is append-only|erases only what a stored event names)$/ },
      sql,
    )
  t.same(db.prepare('SELECT * FROM events').all(), before)
  db.exec('UPDATE events SET payload = NULL, salt = NULL WHERE position IN (1, 2)')
  t.equal(db.prepare('SELECT count(*) FROM events WHERE salt IS NULL').pluck().get(), 2)
})

t.test('an event that erases other streams than those of users is not stored', async t => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  await log.append([to('log', -1, text(1))])
  t.match(await rejection(log.append([erasing(['log'], 1)])), { message: /could not be written/ })
  t.equal(log.head(), 1)
})

t.test('a payload that is gone without an event is damage', async t => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  for (let n = 0; n < 300; n++) await log.append([to('task-a', n - 1, { n })])
  await log.close()
  const db = new Database(file)
  db.exec(
    'DROP TRIGGER events_are_never_changed; UPDATE events SET payload = NULL, salt = NULL WHERE position = 2',
  )
  db.close()
  const again = await openFile(t, file)
  t.match(
    await rejection(all(again)),
    new DamagedEvent(2, 'has no payload, and no event says that it was erased'),
  )
})
