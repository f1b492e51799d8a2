// Payloads that are stored in pieces, each in a commit of its own, before their event.

import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import t from 'tap'
import { DamagedEvent, RevisionConflict, StorageFailure } from '../../src/contract/stored.ts'
import { createLongReader } from '../../src/log/file/long/long-reader.ts'
import { openForWriting } from '../../src/log/file/sqlite-file.ts'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import type { EventLog } from '../../src/log/log.ts'
import { memoryStore } from '../../src/log/memory-store.ts'
import { openLogReadOnly } from '../../src/log/read-only.ts'
import { pause } from '../support/http.ts'
import { faultyStore } from './faulty-store.ts'
import {
  all,
  dataOf,
  fileIn,
  onBothStores,
  openFile,
  openOn,
  places,
  rejection,
  streamOf,
  to,
} from './support.ts'

const long = (size = 1_000_000) => ({ text: 'ä😀"\u2028x'.repeat(size / 6) })
/** Texts whose pairs of code units stand at every place around the end of a piece. */
const pairs = [0, 1, 2, 3].map(n => ({ text: `${'x'.repeat(n)}${'😀'.repeat(300_000)}` }))

onBothStores('a long payload comes back whole, however it is read', async (t, { log, reopened }) => {
  const appended = [{ n: 1 }, long(), { n: 2 }, ...pairs]
  for (const [n, data] of appended.entries()) await log.append([to('a', n - 1, data)])
  const check = async (here: EventLog) => {
    t.same(dataOf(await streamOf(here, 'a')), appended)
    t.same(dataOf([...here.streamPages('a')].flat()), appended)
    t.same(dataOf(await all(here)), appended)
    t.same((await here.lastOf('a'))?.data, appended.at(-1))
  }
  await check(log)
  await check(await reopened())
})

onBothStores('an append stores its long and its short payloads together', async (t, { log }) => {
  const appended = await log.append([to('a', -1, { n: 1 }, long(), { n: 2 }), to('b', -1, long())])
  t.same(places(appended), ['1 a@0', '2 a@1', '3 a@2', '4 b@0'])
  t.same(dataOf(await all(log)), [{ n: 1 }, long(), { n: 2 }, long()])
  t.same((await log.firstOf('b'))?.data, long())
})

onBothStores('events that are appended meanwhile come before a long one', async (t, { log }) => {
  const slow = log.append([to('slow', -1, long())])
  await log.append([to('quick', -1, { n: 1 })])
  await log.append([to('quick', 0, { n: 2 })])
  t.match(places(await slow)[0], /^[23] slow@0$/)
  t.equal(log.head(), 3)
})

onBothStores('an append at a wrong revision is refused, and leaves nothing', async (t, { log }) => {
  await log.append([to('a', -1, { n: 1 })])
  t.ok((await rejection(log.append([to('a', -1, long())]))) instanceof RevisionConflict)
  const late = rejection(log.append([to('a', 0, long())]))
  await log.append([to('a', 0, { n: 2 })])
  t.ok((await late) instanceof RevisionConflict, 'also when it was right at the beginning')
  t.same(dataOf(await all(log)), [{ n: 1 }, { n: 2 }])
})

t.test('the digest of a long payload follows from its salt and its pieces', async t => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  await log.append([to('a', -1, ...pairs)])
  await log.close()
  const db = new Database(file, { readonly: true })
  const rows = db.prepare<[], { header: string; payload: null; salt: string; leaf: string; no: number }>(
    'SELECT header, payload, salt, leaf, no FROM events JOIN long_payloads USING (position) ORDER BY position',
  )
  const texts = db.prepare<[number], string>('SELECT text FROM pieces WHERE payload = ? ORDER BY n').pluck()
  for (const [n, { header, payload, salt, leaf, no }] of rows.all().entries()) {
    const pieces = texts.all(no)
    t.equal(payload, null)
    t.ok(pieces.length > 1, `${pieces.length} pieces`)
    t.equal(pieces.join(''), JSON.stringify(pairs[n]))
    for (const piece of pieces) t.equal(Buffer.from(piece).toString(), piece, 'no character is cut')
    const digest = createHash('sha256').update(salt + pieces.join(''))
    t.equal(JSON.parse(header).digest, digest.digest('base64url'))
    t.equal(leaf, createHash('sha256').update(`\0${header}`).digest('base64url'))
  }
  db.close()
})

const storedPieces = (file: string) => {
  const db = new Database(file, { readonly: true })
  const pieces = db.prepare('SELECT payload, count(*) AS count FROM pieces GROUP BY payload').all()
  db.close()
  return pieces
}

t.test('pieces whose event was never stored are removed at the next start', async t => {
  const file = fileIn(t.testdir({}))
  const store = sqliteStore(file, () => 'log_test')
  const log = await openOn(t, store)
  await log.append([to('a', -1, long())])
  for (const n of [0, 1]) await store.writePiece({ payload: 2, n, salt: 'salt', text: 'left' })
  await log.append([to('b', -1, { n: 1 })])
  const [own, left] = storedPieces(file)
  t.same(left, { payload: 2, count: 2 })
  await log.close()
  const again = await openFile(t, file)
  t.same(storedPieces(file), [own])
  await again.append([to('a', 0, long())])
  t.same(dataOf(await all(again)), [long(), { n: 1 }, long()])
})

t.test('a long payload is read also at the moment when its idle thread is ended', async t => {
  const file = fileIn(t.testdir({}))
  const store = sqliteStore(file, () => 'log_test')
  await (await openOn(t, store)).append([to('a', -1, long())])
  const salt = store.last()?.salt ?? ''
  const reader = createLongReader(file, 20)
  for (const _ of [1, 2, 3]) {
    t.same((await reader.open(1, salt)).data, long())
    await pause(20) // the thread is being ended
  }
  await reader.close()
})

t.test('the pieces of an event can be neither changed, removed nor added', async t => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  await log.append([to('a', -1, long())])
  await log.close()
  const db = openForWriting(file, () => 'log_test')
  for (const sql of [
    "UPDATE pieces SET text = ''",
    'DELETE FROM pieces',
    "INSERT INTO pieces VALUES (1, 99, 'x')",
    "REPLACE INTO pieces VALUES (1, 0, 'x')",
    'UPDATE long_payloads SET position = 2',
    'DELETE FROM long_payloads',
  ])
    t.throws(() => db.exec(sql), /append-only/, sql)
  db.close()
})

const spoilt = (file: string, sql: string): void => {
  const db = new Database(file)
  db.exec(`DROP TRIGGER pieces_are_never_changed; DROP TRIGGER pieces_of_events_are_never_removed; ${sql}`)
  db.close()
}

for (const [what, sql] of [
  ['changed', "UPDATE pieces SET text = 'y' || substr(text, 2) WHERE n = 1"],
  ['lost', 'DELETE FROM pieces WHERE n = 2'],
  ['wholly lost', 'DELETE FROM pieces'],
]) {
  t.test(`an event with a piece that is ${what} is never shown`, async t => {
    const file = fileIn(t.testdir({}))
    const first = await openFile(t, file)
    await first.append([to('a', -1, { n: 1 }, long())])
    await first.close()
    spoilt(file, sql ?? '')
    const log = await openFile(t, file)
    t.ok((await rejection(streamOf(log, 'a'))) instanceof DamagedEvent)
    t.ok((await rejection(all(log))) instanceof DamagedEvent)
    t.throws(() => [...log.streamPages('a')], /position 2/)
    const readOnly = openLogReadOnly(file)
    t.ok((await rejection(readOnly.lastOf('a'))) instanceof DamagedEvent)
    await readOnly.close()
  })
}

t.test('when a piece cannot be written, the append fails and the log goes on', async t => {
  const { store } = faultyStore(memoryStore())
  let failures = 1
  const log = await openOn(t, {
    ...store,
    async writePiece(piece) {
      if (piece.n === 1 && failures-- > 0) throw new Error('database or disk is full')
      await store.writePiece(piece)
    },
  })
  const failed = await Promise.all(['a', 'b'].map(stream => rejection(log.append([to(stream, -1, long())]))))
  t.ok(
    failed.every(error => error instanceof StorageFailure),
    'nothing is stored until the log is open again',
  )
  await log.append([to('a', -1, long())])
  await log.append([to('b', -1, { n: 1 })])
  t.same(dataOf(await all(log)), [long(), { n: 1 }])
})
