// Every statement that reads the log finds its rows by an index. So an export of one user, the list of a user's streams,
// and the events of one session cost what belongs to them, however much the log has of others.
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import type { StreamAppend } from '../../src/contract/stored.ts'
import { numbered, openFile, to } from './support.ts'

type Prepare = (sql: string) => Database.Statement
const prototype = Database.prototype as unknown as { prepare: Prepare }
const { prepare } = prototype
/** Each statement that was prepared. */
const prepared = new Set<string>()
prototype.prepare = function (this: Database.Database, sql) {
  prepared.add(sql)
  return prepare.call(this, sql)
}
const { openAuditTrail } = await import('../../src/log/audit.ts')
const { openLogReadOnly } = await import('../../src/log/read-only.ts')
const { openStoredRows } = await import('../../src/log/chosen-storage.ts')
const { streamsOf } = await import('../../src/maintenance/export/export-subject.ts')

/** What a statement may read in full, and why. */
const whole: [plan: RegExp, sql: RegExp, reason: string][] = [
  [/^SCAN sqlite_master$/, /./, 'the tables, when a file is opened'],
  [/^SCAN e$/, /ORDER BY e.position DESC LIMIT 1/, 'one row, from the end'],
  [/^SCAN CONSTANT ROW$/, /./, 'no table'],
  [/TEMP B-TREE FOR group_concat/, /FROM pieces/, 'the pieces of one payload'],
  [/^SCAN s$/, /NOT EXISTS/, 'reprise verify looks for streams without an event'],
  [
    /^SCAN/,
    /row_number\(\) OVER/,
    'replay --all names the first hole when the count shows that there is one',
  ],
]

const of = (owner: string, session_id: string, append: StreamAppend): StreamAppend => ({
  ...append,
  owner,
  session_id,
})
/** A log with two streams and an environment session of ada, and two streams of each of so many others. */
const given = async (others: number) => {
  const file = path.join(t.testdir(), 'log.db')
  const log = await openFile(t, file)
  await log.append([of('ada', 's1', to('task-first', -1, ...numbered(5)))])
  for (let n = 0; n < others; n += 100)
    await log.append(
      Array.from({ length: Math.min(100, others - n) }, (_, m) => n + m).flatMap(one => [
        of(`user-${one}`, `of-${one}`, to(`task-a${one}`, -1, ...numbered(3))),
        of(`user-${one}`, 's1', to(`task-b${one}`, -1, ...numbered(3))),
      ]),
    )
  await log.append([of('ada', 's1', to('task-last', -1, ...numbered(2)))])
  await log.append([of('ada', 'env-one', to('env-env-one', -1, ...numbered(2)))])
  return { file, log }
}

t.test(
  'an export of a user reads the first events of its own streams, beside 10 and 1,000 others',
  async t => {
    for (const others of [10, 1000]) {
      const { file, log } = await given(others)
      const rows = openStoredRows(file)
      let read = 0
      const counting = {
        ...rows,
        async *beginningsOf(...asked: Parameters<typeof rows.beginningsOf>) {
          for await (const page of rows.beginningsOf(...asked)) {
            read += page.length
            yield page
          }
        },
      }
      const names = (found: { stream: string }[]) => found.map(({ stream }) => stream)
      const own = ['task-first', 'task-last', 'env-env-one']
      t.same(names(await streamsOf(counting, { kind: 'user', id: 'ada' })), own)
      t.equal(read, 3, `beside ${others} others`)
      t.same(names(await streamsOf(counting, { kind: 'session', id: 'env-one' })), ['env-env-one'])
      t.same(names(await streamsOf(counting, { kind: 'session', id: 's1' }, 'ada')), [
        'task-first',
        'task-last',
      ])
      t.equal((await streamsOf(counting, { kind: 'session', id: 's1' })).length, others + 2)
      t.same(names(await streamsOf(counting, { kind: 'user', id: 'nobody' })), [])
      const audit = openAuditTrail(file, log)
      const listed = async (...asked: Parameters<typeof audit.streams>) => {
        const found: string[] = []
        for await (const page of audit.streams(...asked)) found.push(...names(page))
        return found
      }
      t.same(await listed(3, { owner: 'ada' }), own.slice(1))
      t.same(await listed(0, { search: 'LAST' }), ['task-last'], 'part of a name')
      t.same(await listed(0, { search: 'ada' }), own, 'a user')
      t.equal((await listed(0, { search: 'task-' })).length, 2 * others + 2)
      t.same(await listed(3, { search: 'task', owner: 'ada' }), ['task-last'], 'for a user only its own')
      t.same(await listed(0, { search: 'task-a1', owner: 'ada' }), [])
      await audit.close()
      await rows.close()
      await log.close()
    }
  },
)

t.test('no statement reads or sorts more than it must', async t => {
  const { file, log } = await given(10)
  prepared.clear()
  const audit = openAuditTrail(file, log)
  const read = openLogReadOnly(file)
  const rows = openStoredRows(file)
  const statements = [...prepared].filter(sql => /^\s*SELECT/.test(sql))
  t.ok(statements.length > 25, `${statements.length} statements`)
  const db = new Database(file, { readonly: true })
  const met = new Set<string>()
  for (const sql of statements) {
    const values = Array.from(sql.matchAll(/\?/g), () => null)
    const explained = prepare.call(db, `EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[]
    for (const { detail } of explained) {
      if (!detail.startsWith('SCAN') && !detail.includes('TEMP B-TREE')) continue
      const excuse = whole.find(([plan, which]) => plan.test(detail) && which.test(sql))
      if (excuse === undefined) t.fail(`${detail}: ${sql}`)
      else met.add(excuse[2])
    }
    if (/revision = 0 AND iif/.test(sql))
      t.match(explained[0]?.detail, /USING (COVERING )?INDEX streams_by_(owner|session)/, sql)
  }
  t.same([...met].sort(), whole.map(([, , reason]) => reason).sort(), 'each excuse is needed')
  db.close()
  await audit.close()
  await rows.close()
  await read.close()
})
