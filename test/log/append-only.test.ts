import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { DamagedEvent } from '../../src/contract/stored.ts'
import { openForWriting } from '../../src/log/file/sqlite-file.ts'
import { all, dataOf, fileIn, numbered, openFile, rejection, streamOf, to } from './support.ts'

const givenFile = async (t: Test) => {
  const file = fileIn(t.testdir({}))
  const log = await openFile(t, file)
  await log.append([to('a', -1, ...numbered(3)), to('b', -1, ...numbered(3, 3))])
  return { file, log }
}
const connect = (t: Test, file: string, recursiveTriggers: 'ON' | 'OFF') => {
  const db = new Database(file)
  db.pragma(`recursive_triggers = ${recursiveTriggers}`)
  db.pragma('foreign_keys = OFF')
  t.teardown(() => db.close())
  return db
}

const columns = 'position, stream_no, revision, header, payload, salt, leaf'
const forged = "'{}', '{}', 'salt', 'leaf'"
const forbidden = [
  "UPDATE events SET payload = '{}' WHERE position = 2",
  'UPDATE events SET payload = NULL WHERE position = 2',
  "UPDATE events SET header = '{}', salt = '', leaf = ''",
  'UPDATE events SET position = 99 WHERE position = 6',
  'UPDATE events SET revision = revision + 100, stream_no = 2',
  'UPDATE OR REPLACE events SET position = 3 WHERE position = 2',
  'UPDATE OR IGNORE events SET position = 3 WHERE position = 2',
  'DELETE FROM events WHERE position = 6',
  'DELETE FROM events',
  `INSERT OR REPLACE INTO events (${columns}) VALUES (2, 1, 1, ${forged})`,
  `REPLACE INTO events (${columns}) VALUES (2, 1, 9, ${forged})`,
  `REPLACE INTO events (${columns}) VALUES (99, 1, 1, ${forged})`,
  `INSERT INTO events (${columns}) VALUES (2, 1, 1, ${forged})
     ON CONFLICT (position) DO UPDATE SET payload = excluded.payload`,
  "UPDATE streams SET id = 'c' WHERE no = 1",
  'DELETE FROM streams',
  "REPLACE INTO streams (no, id) VALUES (1, 'c')",
  "INSERT OR REPLACE INTO streams (no, id) VALUES (9, 'a')",
]

const everything = (db: Database.Database) => [
  db.prepare('SELECT * FROM events').all(),
  db.prepare('SELECT * FROM streams').all(),
]

t.test('the connection that writes keeps nothing but what is added', async t => {
  const { file, log } = await givenFile(t)
  const [leafBefore, before] = [log.leafAt(6), everything(connect(t, file, 'ON'))]
  await log.close()
  const db = openForWriting(file, () => 'never')
  t.teardown(() => db.close())
  for (const sql of forbidden) t.throws(() => db.exec(sql), { message: 'the log is append-only' }, sql)
  t.same(everything(db), before)
  t.equal(db.pragma('journal_mode', { simple: true }), 'wal')
  t.equal(db.pragma('synchronous', { simple: true }), 2, 'FULL')
  db.close()
  t.equal((await openFile(t, file)).leafAt(6), leafBefore)
})

t.test('another connection is refused too, while the server runs', async t => {
  const { file, log } = await givenFile(t)
  const db = connect(t, file, 'ON')
  const before = everything(db)
  for (const sql of forbidden) t.throws(() => db.exec(sql), { message: 'the log is append-only' }, sql)
  t.same(everything(db), before)
  t.same(dataOf(await all(log)), numbered(6))
})

t.test('even a connection that knows no recursive triggers can neither change nor remove', async t => {
  const { file } = await givenFile(t)
  const db = connect(t, file, 'OFF')
  const before = everything(db)
  for (const sql of forbidden.filter(sql => !/^(INSERT OR )?REPLACE/.test(sql))) {
    t.throws(() => db.exec(sql), { message: 'the log is append-only' }, sql)
  }
  t.same(everything(db), before)
})

// What such a connection can do is replace: the triggers are then passed by. It must not go unnoticed.
const replaced = [
  ['another payload', `SELECT position, stream_no, revision, header, '{"n":9}', salt, leaf`],
  ['another salt', `SELECT position, stream_no, revision, header, payload, 'AAAAAAAAAAAAAAAAAAAAAA', leaf`],
  ['no payload', 'SELECT position, stream_no, revision, header, NULL, salt, leaf'],
  [
    'another header',
    `SELECT position, stream_no, revision, replace(header, 'user-1', 'user-2'), payload, salt, leaf`,
  ],
  [
    'another leaf',
    `SELECT position, stream_no, revision, header, payload, salt, replace(leaf, substr(leaf, 1, 1), '-')`,
  ],
  ['another stream', 'SELECT position, 1, 77, header, payload, salt, leaf'],
  ['another revision', 'SELECT position, stream_no, 77, header, payload, salt, leaf'],
] as const
for (const [what, select] of replaced) {
  t.test(`an event that was replaced by one with ${what} is named by its position`, async t => {
    const { file, log } = await givenFile(t)
    const db = connect(t, file, 'OFF')
    const { changes } = db
      .prepare(`INSERT OR REPLACE INTO events (${columns}) ${select} FROM events WHERE position = 5`)
      .run()
    t.equal(changes, 1, 'the database let it pass')
    const error = await rejection(all(log))
    t.ok(error instanceof DamagedEvent)
    t.match(error, { position: 5, message: /position 5/ })
    t.same(dataOf(await all(log, 5)), [{ n: 5 }], 'what stands behind it can be read')
    if (what !== 'another stream') t.same(dataOf(await streamOf(log, 'a')), numbered(3), 'and other streams')
  })
}

t.test('an event that was moved to another position is missed where it stood', async t => {
  const { file, log } = await givenFile(t)
  connect(t, file, 'OFF').exec(
    `INSERT OR REPLACE INTO events (${columns}) SELECT 77, stream_no, revision, header, payload, salt, leaf
     FROM events WHERE position = 2`,
  )
  const error = await rejection(all(log))
  t.ok(error instanceof DamagedEvent, 'reading does not pass over the hole')
  t.match(error, { position: 2 })
})

t.test('an event that was removed by somebody who took the triggers away is missed', async t => {
  const { file, log } = await givenFile(t)
  connect(t, file, 'OFF').exec(
    'DROP TRIGGER events_are_never_removed; DELETE FROM events WHERE position IN (2, 5)',
  )
  for (const [name, read, position] of [
    ['in the log', all(log), 2],
    ['in the rest of the log', all(log, 3), 5],
    ['in its stream', streamOf(log, 'a'), undefined],
    ['in the rest of its stream', streamOf(log, 'b', 0), undefined],
  ] as const) {
    const error = await rejection(read)
    t.ok(error instanceof DamagedEvent, `${name}: reading does not pass over the hole`)
    if (position !== undefined) t.match(error, { position }, name)
  }
})

t.test('the stream of an event that lost its name is missed', async t => {
  const { file, log } = await givenFile(t)
  connect(t, file, 'OFF').exec("DROP TRIGGER streams_are_never_removed; DELETE FROM streams WHERE id = 'a'")
  const error = await rejection(all(log))
  t.ok(error instanceof DamagedEvent, 'reading does not pass over its events')
  t.match(error, { position: 1 })
})
