// Every statement of the read models finds its rows by an index: what it costs does not grow with rows that it does not
// want. The plans are those of SQLite for the tables as they are, without statistics.
import Database from 'better-sqlite3'
import t from 'tap'

type Prepare = (sql: string) => Database.Statement
const prototype = Database.prototype as unknown as { prepare: Prepare }
const { prepare } = prototype
/** Each statement that was prepared, with its database. */
const prepared = new Map<string, Database.Database>()
prototype.prepare = function (this: Database.Database, sql) {
  prepared.set(sql, this)
  return prepare.call(this, sql)
}
const { givenSystem, quiet } = await import('../support/system.ts')

/** What a statement may read in full, and why that is little. */
const whole: [table: RegExp, reason: string][] = [
  [/^SCAN checkpoint$/, 'it has one row'],
  [/^SCAN talking_tasks$/, 'only tasks that work are in it'],
  [/^SCAN tasks USING INDEX tasks_unfinished$/, 'a start resumes all of them'],
  [/^SCAN erasing$/, 'it has rows only while the content of erased streams is removed'],
  [
    /^SCAN env_sessions USING INDEX env_sessions_active$/,
    'a start and the sweep of idle sessions look at all of them',
  ],
  [/^SCAN webhooks USING INDEX webhooks_there$/, 'each of them has a courier'],
  [/^SCAN cron_runs USING INDEX cron_runs_open$/, 'a start resumes all of them'],
  [/^SCAN cron_jobs( USING INDEX cron_jobs_by_position)?$/, 'a user has at most 100'],
  [/^SCAN tokens USING INDEX tokens_of_user$/, 'the list of tokens shows all of them'],
  [/^SCAN tokens$/, 'a start learns which tokens have no user, and when the others expire'],
  [/^SCAN tasks$/, 'a page or a slice, from one end; it passes over deleted tasks and those of subagents'],
  [/^SCAN \(subquery-\d+\)$/, 'a slice of a thousand rows'],
  [/^SCAN ended$/, 'one row for each ten seconds within which a retry without a key is looked for'],
]
/** What a statement may sort. */
const sorted: [sql: RegExp, reason: string][] = [
  [/FROM tokens WHERE revoked = 0 ORDER BY/, 'the list of tokens shows all of them'],
  [/LIMIT 1000\s+\) GROUP BY status, agent/, 'a slice of a thousand rows'],
  [/FROM ended CROSS JOIN/, 'the tasks with one body'],
  [/FROM cron_jobs GROUP BY state/, 'a user has at most 100'],
  [/FROM cron_runs .* ORDER BY position DESC, id DESC/s, 'the runs of one position'],
  [/FROM requests .* ORDER BY position$/s, 'the requests with one body'],
]

/** A list as it was at a position, with tasks that were deleted since. */
const pastList = {
  ...{
    userId: undefined,
    sessionId: undefined,
    statuses: [],
    startingAfter: undefined,
    endingBefore: undefined,
  },
  ...{ limit: 10, order: 'desc' as const, includeSubtasks: false, asOf: { position: 3, withDeleted: true } },
}
const noFilter = { userId: undefined, sessionId: undefined, statuses: [], includeSubtasks: false }

const isReadModels = (db: Database.Database): boolean =>
  db.open && prepare.call(db, "SELECT 1 FROM sqlite_schema WHERE name = 'task_moves'").get() !== undefined

const planOf = (sql: string, db: Database.Database): string[] => {
  const names = [...sql.matchAll(/[:@$](\w+)/g)].map(([, name]) => [name, null])
  const values = Array.from(sql.matchAll(/\?/g), () => null)
  const given = names.length > 0 ? [Object.fromEntries(names)] : values
  const explained = prepare.call(db, `EXPLAIN QUERY PLAN ${sql}`).all(...given) as { detail: string }[]
  return explained.map(({ detail }) => detail)
}

t.test('no statement of the read models reads or sorts more than it must', async t => {
  const system = await givenSystem()
  await system.create({})
  await quiet(system)
  await system.queries.listThen(pastList)
  const wanted = {
    ...noFilter,
    startingAfter: undefined,
    endingBefore: undefined,
    limit: 10,
    order: 'desc',
  } as const
  for (const filter of [
    {},
    { userId: 'u' },
    { statuses: ['failed'] },
    { sessionId: 's' },
    { createdAfter: 0 },
  ] as const) {
    const query = { ...wanted, ...filter, statuses: [...('statuses' in filter ? filter.statuses : [])] }
    for (const agent of [undefined, 'echo']) {
      await system.queries.list({ ...query, agent })
      await system.queries.countTasks({ ...query, agent })
    }
  }
  const statements = [...prepared].filter(([, db]) => isReadModels(db))
  t.ok(statements.length > 90, `${statements.length} statements`)
  const met = new Set<RegExp>()
  const isExcused = (excuses: [RegExp, string][], text: string): boolean => {
    const found = excuses.filter(([pattern]) => pattern.test(text))
    for (const [pattern] of found) met.add(pattern)
    return found.length > 0
  }
  for (const [sql, db] of statements)
    for (const detail of planOf(sql, db)) {
      const isBad =
        (detail.startsWith('SCAN') && !isExcused(whole, detail)) ||
        (detail.includes('TEMP B-TREE') && !isExcused(sorted, sql))
      if (isBad) t.fail(`${detail}: ${sql}`)
    }
  t.same(
    [...whole, ...sorted].filter(([pattern]) => !met.has(pattern)).map(String),
    [],
    'each excuse is needed',
  )
  const past = statements.filter(
    ([sql]) => sql.includes('deleted_position > ?') && !sql.includes('INDEXED BY'),
  )
  t.same(
    past.map(([sql, db]) => planOf(sql, db)),
    [['SEARCH tasks USING INDEX tasks_deleted (shown=? AND position>? AND position<?)']],
    'a list of the past does not read the tasks that were deleted before',
  )
  await system.close()
})
