// A log of an earlier version becomes one of this version when a server opens it.

import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { openLogReadOnly } from '../../src/log/read-only.ts'
import { schema, schemaVersion } from '../../src/log/schema.ts'
import { openForWriting } from '../../src/log/sqlite-file.ts'
import { olderFile } from './older-files.ts'
import { all, fileIn, openFile, pagesOf, to } from './support.ts'

const long = { text: 'long '.repeat(60_000) }

const givenOlder = async (t: Test, version: 1 | 2) => {
  const folder = t.testdir({})
  const made = path.join(folder, 'new.db')
  const log = await openFile(t, made)
  for (let n = 0; n < 30; n++) await log.append([to('task-a', n - 1, { n }), to(`task-${n}`, -1, { n })])
  if (version === 2) await log.append([to('task-a', 29, long), to('task-long', -1, long)])
  const events = await all(log)
  const leaves = events.map(({ position }) => log.leafAt(position))
  await log.close()
  const file = fileIn(folder)
  olderFile(made, file, version)
  return { file, made, events, leaves }
}
const schemaOf = (file: string) => {
  const db = new Database(file, { readonly: true })
  const found = db.prepare('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name').all()
  const check = db.pragma('integrity_check', { simple: true })
  const version = db.pragma('user_version', { simple: true })
  db.close()
  return { found, check, version }
}

for (const version of [1, 2] as const) {
  t.test(`a log of version ${version} keeps its positions, leaves and events`, async t => {
    const { file, made, events, leaves } = await givenOlder(t, version)
    const reader = openLogReadOnly(file)
    t.same((await pagesOf(reader.readAll())).flat(), events, 'read before it is renewed')
    const log = await openFile(t, file)
    t.same(await all(log), events)
    t.same(
      events.map(({ position }) => log.leafAt(position)),
      leaves,
    )
    t.same((await pagesOf(reader.readAll())).flat(), events, 'read by one who had opened it before')
    await log.append([to('task-new', -1, long)])
    t.equal(log.head(), events.length + 1)
    await reader.close()
    await log.close()
    t.same(schemaOf(file), schemaOf(made), 'the tables are those of a new log')
  })

  t.test(`a power cut at any write while version ${version} is renewed leaves a log that opens`, async t => {
    const { file, events } = await givenOlder(t, version)
    const db = new Database(file)
    db.pragma('journal_mode = WAL')
    db.close()
    // A reader keeps the changed pages in the WAL. Every part of the WAL is what a crash may leave.
    const reader = new Database(file, { readonly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM events').get()
    openForWriting(file, () => 'never').close()
    const [main, wal] = [readFileSync(file), readFileSync(`${file}-wal`)]
    reader.close()
    const frame = 24 + main.readUInt16BE(16)
    const frames = (wal.length - 32) / frame
    t.ok(frames > 5, `${frames} frames`)
    const versions = new Set<number>()
    // At the ends each frame. Between them the renewal only adds pages to its one transaction: every twelfth frame (npm run soak -- renewal: each).
    const ends = 6
    const every = Number(process.env.CUT_EVERY ?? 12)
    const between = Math.floor(Math.random() * every)
    for (let cut = 0; cut <= frames; cut++) {
      if (cut > ends && cut < frames - ends && cut % every !== between) continue
      const left = fileIn(t.testdir({}))
      writeFileSync(left, main)
      writeFileSync(`${left}-wal`, wal.subarray(0, 32 + cut * frame - (cut > 0 && cut < frames ? 7 : 0)))
      versions.add(schemaOf(left).version as number)
      const log = await openFile(t, left)
      t.same(await all(log), events, `cut at frame ${cut} of ${frames}`)
      await log.close()
      if (cut >= frames - 1) t.equal(schemaOf(left).check, 'ok')
    }
    t.same([...versions], [version, 3], 'the renewal is one commit')
  })
}

t.test('the tables of a version do not change: a log that exists would keep its old ones', async t => {
  const found = createHash('sha256').update(schema).digest('hex')
  t.equal(
    found.slice(0, 16),
    '2fd0f36873a8c59d',
    'raise schemaVersion, renew older files in sqlite-file.ts, and note the new digest',
  )
  t.equal(schemaVersion, 3)
})
