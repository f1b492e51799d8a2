// What a crash leaves in the WAL is read as ever; what no crash can have made of it is refused: SQLite would drop
// commits that were acknowledged, without a word.

import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { CannotStart } from '../../src/contract/cannot-start.ts'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import { until } from '../support/http.ts'
import { all, fileIn, openFile, openOn, rejection, to } from './support.ts'

const pageSize = 4096
const frameSize = 24 + pageSize

/** A log as kill -9 leaves it: `before` events in its file, the others, a commit each, in the WAL. */
const killedLog = async (t: Test, before: number, after: number, text = 'lorem ipsum') => {
  const [file, copy] = [fileIn(t.testdir({})), fileIn(`${t.testdir({ copy: {} })}/copy`)]
  const append = async (log: Awaited<ReturnType<typeof openFile>>, from: number, count: number) => {
    for (let n = from; n < from + count; n++)
      await log.append([to(`s-${n % 3}`, Math.floor(n / 3) - 1, { n, text })])
  }
  const first = await openFile(t, file)
  await append(first, 0, before)
  await first.close()
  const log = await openFile(t, file)
  await append(log, before, after)
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy + suffix)
  return copy
}

const flip = (file: string, ...places: number[]) => {
  const bytes = readFileSync(file)
  for (const at of places) bytes.writeUInt8(bytes.readUInt8(at) ^ 0x10, at)
  writeFileSync(file, bytes)
}

const refused = async (t: Test, file: string, says: RegExp, what: string) => {
  const before = ['', '-wal'].map(suffix => existsSync(file + suffix) && readFileSync(file + suffix))
  const error = await rejection(openFile(t, file))
  t.ok(error instanceof CannotStart, what)
  t.match(error, { message: says }, what)
  t.match(error, { message: /^[^\n]{20,400}$/ }, `${what}: one line`)
  const after = ['', '-wal'].map(suffix => existsSync(file + suffix) && readFileSync(file + suffix))
  t.same(after, before, `${what}: the files are as they were`)
}

t.test('a WAL that is damaged before its last commit is refused', async t => {
  const file = await killedLog(t, 30, 40)
  const wal = `${file}-wal`
  copyFileSync(wal, `${wal}.whole`)
  const { size } = statSync(wal)
  const frames = (size - 32) / frameSize
  t.ok(frames > 40, `${frames} frames`)
  const damages: Record<string, () => void> = {
    'its magic number': () => flip(wal, 2),
    'its salt': () => flip(wal, 17),
    'its first frame': () => flip(wal, 32 + 24 + 1000),
    'a frame in the middle': () => flip(wal, 32 + 20 * frameSize + 3000),
    'the checksum of one': () => flip(wal, 32 + 20 * frameSize + 17),
    'every frame': () => flip(wal, ...Array.from({ length: frames }, (_, n) => 32 + n * frameSize + 500)),
    'a text instead': () => writeFileSync(wal, 'this was never a WAL\n'.repeat(500)),
    'a few bytes of it': () => truncateSync(wal, 20),
  }
  for (const [what, damage] of Object.entries(damages)) {
    copyFileSync(`${wal}.whole`, wal)
    damage()
    await refused(t, file, /log\.db-wal is damaged.*: restore the log from a backup/, what)
  }
  copyFileSync(`${wal}.whole`, wal)
  t.equal((await all(await openFile(t, file))).length, 70, 'undamaged, it opens')
})

t.test('what a crash leaves is no damage', async t => {
  const file = await killedLog(t, 30, 40)
  const wal = `${file}-wal`
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, `${file}.whole${suffix}`)
  const { size } = statSync(wal)
  const leftovers: Record<string, { make: () => void; events: number }> = {
    'a commit that was cut short': { make: () => truncateSync(wal, size - 5), events: 69 },
    'a commit whose end came before its beginning': {
      make: () => flip(wal, size - frameSize + 100),
      events: 69,
    },
    'frames of zeros behind the last one': {
      make: () => truncateSync(wal, size + 3 * frameSize),
      events: 70,
    },
    'no WAL': { make: () => rmSync(wal), events: 30 },
    'one of no length': { make: () => truncateSync(wal, 0), events: 30 },
    'one that was made and never filled': {
      make: () => writeFileSync(wal, Buffer.alloc(2 * frameSize)),
      events: 30,
    },
  }
  for (const [what, { make, events }] of Object.entries(leftovers)) {
    for (const suffix of ['', '-wal']) copyFileSync(`${file}.whole${suffix}`, file + suffix)
    rmSync(`${file}-shm`, { force: true })
    make()
    const log = await openFile(t, file)
    t.equal((await all(log)).length, events, what)
    await log.close()
  }
})

t.test('frames of an earlier life of the WAL are no damage', async t => {
  const file = fileIn(t.testdir({ copy: {} }))
  const log = await openOn(
    t,
    sqliteStore(file, () => 'log_test'),
  )
  let revision = -1
  const text = 'x'.repeat(20_000)
  while (revision < 250) await log.append([to('s', revision++, { text })])
  const walSize = () => statSync(`${file}-wal`).size
  // When all of it was copied into the file, SQLite begins the WAL at its first frame again.
  await until(async () => {
    const before = walSize()
    await log.append([to('s', revision++, { n: 1 })])
    return walSize() === before
  })
  const copy = fileIn(`${t.testdirName}/copy`)
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy + suffix)
  t.equal((await all(await openFile(t, copy))).length, revision + 1)
})

t.test('a WAL without its log is refused', async t => {
  const file = await killedLog(t, 30, 40)
  rmSync(file)
  await refused(t, file, /log\.db is gone, and log\.db-wal is not: restore the log from a backup/, 'no file')
  for (const content of ['', '\0', 'SQLite format 3\0']) {
    writeFileSync(file, content)
    await refused(t, file, /log\.db is gone, and log\.db-wal is not/, `${content.length} bytes`)
  }
})

t.test('the WAL of another database is refused before it is read into the log', async t => {
  const file = await killedLog(t, 300, 3)
  const other = `${file}.other`
  const db = new Database(other)
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE songs (title TEXT)')
  copyFileSync(`${other}-wal`, `${file}-wal`)
  db.close()
  await refused(t, file, /log\.db and its WAL do not belong together/, 'songs')

  for (const events of [20, 2000]) {
    const stranger = await openOn(
      t,
      sqliteStore(`${other}-log-${events}`, () => 'log_other'),
    )
    for (let n = 0; n < events; n += 20)
      await stranger.append([to('s', n - 1, ...Array.from({ length: 20 }, (_, i) => ({ n: n + i })))])
    await stranger.close()
    const again = await openOn(
      t,
      sqliteStore(`${other}-log-${events}`, () => 'log_other'),
    )
    await again.append([to('s', events - 1, { n: events })])
    copyFileSync(`${other}-log-${events}-wal`, `${file}-wal`)
    await refused(t, file, /log\.db and its WAL do not belong together/, `a log of ${events} events`)
  }
})

t.test('the WAL of a log that went on is refused beside its backup', async t => {
  const file = await killedLog(t, 60, 3)
  const [backup, later] = [`${file}.backup`, `${file}.later`]
  copyFileSync(file, backup)
  await (await openFile(t, file)).close()
  const log = await openFile(t, file)
  const events = Array.from({ length: 500 }, (_, n) => ({ n, text: 'lorem ipsum' }))
  await log.append([to('more', -1, ...events)])
  await log.close()
  const again = await openFile(t, file)
  await again.append([to('more', 499, { n: 500 })])
  copyFileSync(backup, later)
  copyFileSync(`${file}-wal`, `${later}-wal`)
  await refused(t, later, /later and its WAL do not belong together/, 'an older day')
})

t.test('a log that was moved without its WAL is refused', async t => {
  const file = await killedLog(t, 300, 3)
  renameSync(file, `${file}.moved`)
  symlinkSync(`${file}.moved`, file)
  await refused(t, file, /log\.db-wal was left behind/, 'a link')
  renameSync(`${file}-wal`, `${file}.moved-wal`)
  t.equal((await all(await openFile(t, file))).length, 303, 'with it, it opens')
})

t.test('a log whose file was lost behind its WAL is refused in one line', async t => {
  const file = await killedLog(t, 300, 40)
  writeFileSync(file, 'this was never a database\n'.repeat(500))
  await refused(t, file, /do not belong together|is damaged or is no event log/, 'text')
})
