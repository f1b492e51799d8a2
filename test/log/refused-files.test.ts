import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { CannotStart } from '../../src/contract/cannot-start.ts'
import { schema, schemaVersion } from '../../src/log/file/schema.ts'
import { openLogReadOnly } from '../../src/log/read-only.ts'
import { flip, givenFileOf, placesOf } from './damaged-file.ts'
import { all, fileIn, openFile, rejection, to } from './support.ts'

/** Opening ends in one clear line, and the file is left as it was. */
const refused = async (t: Test, file: string, line: RegExp, what: string) => {
  const before = readFileSync(file)
  const error = await rejection(openFile(t, file))
  t.ok(error instanceof CannotStart, what)
  const { message = '' } = (error ?? {}) as { message?: string }
  t.match(message, line, what)
  t.match(message.replaceAll(file, 'log.db'), /^[^\n]{20,150}$/, `${what}: one line`)
  t.ok(message.includes(file), `${what}: the line names the file`)
  t.ok(before.equals(readFileSync(file)), `${what}: the file is as it was`)
}

const damaged = /damaged/
const notALog = /no event log/
const wayOut = /restore it from a backup/

t.test('damage in the last events is found at the start', async t => {
  const file = await givenFileOf(t, 300, 7)
  const placeOf = placesOf(file)
  for (const [position, field] of [
    [300, 'payload'],
    [300, 'leaf'],
    [299, 'header'],
    [298, 'salt'],
    [297, 'header'],
  ] as const) {
    const { at, length } = placeOf(position, field)
    flip(file, at + length - 1, 1)
    await refused(t, file, new RegExp(`${position}.*${wayOut.source}`), `${field} of ${position}`)
    flip(file, at + length - 1, 1)
  }
  t.equal((await all(await openFile(t, file))).length, 300, 'undamaged, it opens')
})

t.test('a file that was cut short is refused, wherever it was cut', async t => {
  const file = await givenFileOf(t, 300, 7)
  const whole = `${file}.whole`
  copyFileSync(file, whole)
  const { size } = statSync(file)
  for (const length of [2, 99, 100, 511, 512, 4095, 4096, 4097, 8192, size / 2, size - 4096, size - 1]) {
    copyFileSync(whole, file)
    truncateSync(file, Math.floor(length))
    await refused(t, file, wayOut, `cut at ${length} of ${size}`)
  }
})

t.test('a file that is no log is refused', async t => {
  const file = fileIn(t.testdir({}))
  const cases: [string, Buffer | string][] = [
    ['zeros', Buffer.alloc(8192)],
    ['two zeros', Buffer.alloc(2)],
    ['a text', 'Dear diary,\n'.repeat(1000)],
    ['a line', 'hello\n'],
    ['a header and no database', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4080)])],
    ['noise', Buffer.from(Array.from({ length: 8192 }, (_, i) => (i * 131 + (i >> 3)) & 255))],
  ]
  for (const [what, content] of cases) {
    writeFileSync(file, content)
    await refused(t, file, /damaged or is no event log/, what)
  }
})

t.test('the line for a damaged schema shows nothing of what the file holds there', async t => {
  const file = await givenFileOf(t, 20, 7)
  const db = new Database(file)
  db.unsafeMode()
  db.pragma('writable_schema = ON')
  const noise = 'a\u0085ÿ'.repeat(100)
  db.prepare(
    "UPDATE sqlite_schema SET sql = 'CREATE TABLE events (position) ' || ? WHERE name = 'events'",
  ).run(noise)
  db.close()
  await refused(t, file, /damaged or is no event log \(malformed database schema [ -~]+…\): restore/, 'noise')
})

t.test('a folder in the place of the file is refused', async t => {
  const file = fileIn(t.testdir({}))
  mkdirSync(file)
  const error = await rejection(openFile(t, file))
  t.ok(error instanceof CannotStart)
  t.match(error, { message: /^[^\n]*log\.db[^\n]*$/ })
})

t.test('a file in a folder that is not there is refused', async t => {
  const file = path.join(t.testdir({}), 'no', 'such', 'log.db')
  const error = await rejection(openFile(t, file))
  t.ok(error instanceof CannotStart)
  t.match(error, { message: /^[^\n]*log\.db[^\n]*$/ })
  t.notOk(existsSync(path.dirname(file)))
})

for (const version of [0, 1]) {
  t.test(
    `a database of something else, with user_version ${version}, is refused and not touched`,
    async t => {
      const file = fileIn(t.testdir({}))
      const db = new Database(file)
      db.exec(
        `CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup'); PRAGMA user_version = ${version}`,
      )
      db.close()
      await refused(t, file, notALog, 'recipes')
      const again = new Database(file)
      t.equal(again.pragma('journal_mode', { simple: true }), 'delete', 'its journal mode is its own')
      again.close()
    },
  )
}

for (const version of [schemaVersion - 1, schemaVersion + 1]) {
  t.test(`a log with tables of version ${version} is refused and not touched`, async t => {
    const file = await givenFileOf(t, 10, 2)
    const db = new Database(file)
    db.pragma(`user_version = ${version}`)
    db.close()
    const says = /log\.db has the tables of another build of reprise .*: run that build, or choose another/
    await refused(t, file, says, `version ${version}`)
    t.throws(() => openLogReadOnly(file), { message: says }, 'also when it is only read')
  })
}

t.test('the tables of a version do not change: a log that exists would keep its old ones', async t => {
  const found = createHash('sha256').update(schema).digest('hex')
  t.equal(found.slice(0, 16), 'db293194f7926d8f', 'raise schemaVersion, and note the new digest')
  t.equal(schemaVersion, 2)
})

// SQLite makes a file of no length first (of one byte on some systems); a crash may leave it so.
for (const content of ['', '\0']) {
  t.test(`a file of ${content.length} bytes is a log that was never begun`, async t => {
    const log = await openFile(t, fileIn(t.testdir({ 'log.db': content })))
    await log.append([to('a', -1, {})])
    t.equal(log.head(), 1)
  })
}

t.test('what is refused once opens when it was restored', async t => {
  const file = await givenFileOf(t, 300, 7)
  copyFileSync(file, `${file}.backup`)
  writeFileSync(file, Buffer.alloc(4096))
  await refused(t, file, damaged, 'zeros')
  copyFileSync(`${file}.backup`, file)
  t.equal((await all(await openFile(t, file))).length, 300)
})
