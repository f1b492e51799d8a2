// reprise rebuild, as a process.

import { existsSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { allTasks } from '../server/wire.ts'
import { runReprise, serveHere } from '../support/server.ts'
import { givenFolder, spoilt } from './folder.ts'
import { jsonLines } from './support.ts'

const rebuild = (dataDir: string, ...args: string[]) =>
  runReprise(['rebuild', ...args], { DATA_DIR: dataDir })

/** Every row of every table; a count that is nought says no more than its absence. */
const rowsIn = (dataDir: string): Record<string, unknown[]> => {
  const db = new Database(path.join(dataDir, 'read.db'), { readonly: true })
  const rows = (sql: string) => db.prepare(sql).all()
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  const found = Object.fromEntries(tables.map(name => [name, rows(`SELECT * FROM ${name}`)]))
  const counts = rows('SELECT * FROM task_counts WHERE tasks <> 0')
  db.close()
  return { ...found, task_counts: counts }
}

t.test('the same rows are made again, whatever was there', async t => {
  const { dataDir } = await givenFolder(t)
  const before = rowsIn(dataDir)
  t.ok(before.tasks?.length)
  const copy = spoilt(
    dataDir,
    path.join(t.testdir(), 'copy'),
    'read.db',
    "UPDATE tasks SET status = 'failed'",
  )
  const { code, stdout, stderr } = await rebuild(copy)
  t.same({ code, stderr }, { code: 0, stderr: '' })
  t.match(stdout, /^read models built from \d+ events: 4 tasks, [\d.]+ s\n$/)
  t.same(rowsIn(copy), before)
  t.match(jsonLines((await rebuild(copy, '--json')).stdout), [{ tasks: 4 }])

  const { api, lines } = await serveHere(t, { DATA_DIR: copy })
  t.equal((await allTasks(api)).length, 2, 'a server goes on with them')
  t.same(lines, [], 'and does not make them anew')
})

t.test('beside a running server it is refused in one line: exit code 2', async t => {
  const { dataDir, url } = await serveHere(t)
  t.same(await rebuild(dataDir), {
    code: 2,
    stdout: '',
    stderr: `reprise: ${dataDir} is in use by the server at ${url}: stop it, or set another DATA_DIR\n`,
  })
})

t.test('a damaged log gives none: exit code 1; no log: 2', async t => {
  const { dataDir } = await givenFolder(t)
  const sql = "UPDATE events SET payload = '{}' WHERE position = 2"
  const copy = spoilt(dataDir, path.join(t.testdir(), 'copy'), 'log.db', sql)
  t.same(await rebuild(copy), {
    code: 1,
    stdout: '',
    stderr: 'reprise: the event at position 2 does not match its digest\n',
  })
  const empty = path.join(t.testdir(), 'empty')
  t.match(await rebuild(empty), { code: 2, stdout: '', stderr: /^reprise: no log here: .+\n$/ })
  t.notOk(existsSync(empty), 'nothing is made')
})
