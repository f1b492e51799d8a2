// The read models held against the log: whatever is changed in them is named.
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Difference } from '../../projections/compare.ts'
import { compareAll, compareTask, Unfit } from '../../src/cli/log/compared.ts'
import { openLogReadOnly } from '../../src/log/read-only.ts'
import { filesOf } from '../../src/platform/files/data-folder.ts'
import { givenFolder, spoilt } from './folder.ts'

/** What is found in a folder, in all of it and of one task. */
const compared = async (t: Test, dataDir: string, id: string) => {
  const files = filesOf(dataDir)
  const log = openLogReadOnly(files.log)
  const all: Difference[] = []
  const one: Difference[] = []
  const into = (list: Difference[]) => ({
    log,
    file: files.readModels,
    onDifference: (difference: Difference) => void list.push(difference),
  })
  try {
    const at = await compareAll(into(all), () => {})
    t.equal(await compareTask(into(one), id), at)
    return { at, all, one }
  } finally {
    await log.close()
  }
}

t.test('nothing is found where nothing was changed', async t => {
  const { dataDir, id } = await givenFolder(t)
  const { at, all, one } = await compared(t, dataDir, id)
  t.ok(at)
  t.same([...all, ...one], [])
})

t.test('every row that is not as it was is named, with what it is and what it should be', async t => {
  const { dataDir, id } = await givenFolder(t)
  const task = `(SELECT position FROM tasks WHERE id = '${id}')`
  const spoils: [sql: string, difference: Partial<Difference>, ofTask: boolean][] = [
    [
      `UPDATE tasks SET status = 'failed' WHERE id = '${id}'`,
      { table: 'tasks', row: id, field: 'status', stored: 'failed', replayed: 'completed' },
      true,
    ],
    [
      `UPDATE tasks SET fields = json_set(fields, '$.user_id', 'eve') WHERE id = '${id}'`,
      { table: 'tasks', row: id, field: 'user_id', stored: 'eve', replayed: 'default' },
      true,
    ],
    [
      `UPDATE tasks SET fields = fields || ' ' WHERE id = '${id}'`,
      { table: 'tasks', row: id, field: 'fields' },
      true,
    ],
    [
      `UPDATE items SET body = json_set(body, '$.status', 'incomplete') WHERE task = ${task} AND n = 0`,
      { table: 'items', row: `${id} 0`, field: 'status', stored: 'incomplete', replayed: 'completed' },
      true,
    ],
    [
      `DELETE FROM items WHERE task = ${task} AND n = 1`,
      { table: 'items', row: `${id} 1`, field: 'row', stored: null },
      true,
    ],
    [`INSERT INTO steps SELECT 1, ${task}`, { table: 'steps', row: '1', field: 'row', replayed: null }, true],
    [
      "UPDATE task_counts SET tasks = 7 WHERE status = 'paused' AND user_id = ''",
      { table: 'task_counts', row: ' script 0 0 paused', field: 'tasks', stored: 7, replayed: 1 },
      false,
    ],
    ["UPDATE requests SET digest = 'x'", { table: 'requests', field: 'digest', stored: 'x' }, false],
    [
      "UPDATE tokens SET role = 'admin'",
      { table: 'tokens', field: 'role', stored: 'admin', replayed: 'user' },
      false,
    ],
  ]
  const copies = t.testdir()
  for (const [n, [sql, difference, ofTask]] of spoils.entries()) {
    const { all, one } = await compared(t, spoilt(dataDir, path.join(copies, String(n)), 'read.db', sql), id)
    t.match(all, [difference], sql)
    t.equal(all.length, 1)
    t.same(one, ofTask ? all : [])
  }
})

t.test('read models of another version, of another log, or none at all', async t => {
  const { dataDir, id } = await givenFolder(t)
  const copies = t.testdir()
  const version = spoilt(dataDir, path.join(copies, 'version'), 'read.db', 'PRAGMA user_version = 99')
  await t.rejects(compared(t, version, id), new Unfit('the read models are of another version'))
  const other = spoilt(dataDir, path.join(copies, 'other'), 'read.db', "UPDATE checkpoint SET leaf = 'x'")
  await t.rejects(compared(t, other, id), new Unfit('the read models were made from another log'))
  const log = openLogReadOnly(filesOf(dataDir).log)
  const nothing = { log, file: path.join(copies, 'none.db'), onDifference: () => {} }
  t.equal(await compareAll(nothing, () => {}), undefined)
  t.equal(await compareTask(nothing, id), undefined)
  await log.close()
})

t.test('read models that are behind are compared where they are', async t => {
  const { dataDir, id } = await givenFolder(t)
  const before = path.join(t.testdir(), 'before')
  const position = 2 // the event that created its first task, after the one that names the key of the log
  const leaf = `(SELECT leaf FROM log.events WHERE position = ${position})`
  const sql = `ATTACH '${path.join(dataDir, 'log.db')}' AS log;
    UPDATE checkpoint SET position = ${position}, leaf = ${leaf}; DELETE FROM tasks WHERE position > ${position};
    DELETE FROM items; DELETE FROM steps; DELETE FROM tokens; DELETE FROM requests; DELETE FROM task_counts;`
  spoilt(dataDir, before, 'read.db', sql)
  const { at, all } = await compared(t, before, id)
  t.equal(at, position)
  t.same(
    new Set(all.map(({ table }) => table)),
    new Set(['tasks', 'task_moves', 'task_counts']),
    'that task had not moved then, nor was it counted as it is now',
  )
})
