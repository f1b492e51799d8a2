import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readlinkSync, statSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { open } from '../../../src/environments/kinds/sql/database.ts'
import { execute } from '../../../src/environments/kinds/sql/run.ts'
import byDefault, { Sql } from '../../../src/environments/kinds/sql/sql.ts'
import fc from '../../support/fast-check.ts'
import { type Action, at, carry, contentOf, contextOf, failure, folder, play } from './support.ts'

const shop = {
  schema: `
    CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, price REAL);
    CREATE TABLE sale (product INTEGER NOT NULL REFERENCES product (id), day TEXT, pieces INTEGER);
    CREATE INDEX sale_day ON sale (day);`,
  csv: { product: 'id,name,price\n1,"Tea, green",3.5\n2,Coffee,\n' },
  seed_sql: "INSERT INTO sale VALUES (1, '2026-01-31', 3), (2, '2026-02-01', 1); -- two; only",
}

const opened = (t: Test, kwargs = {}, seed = 1, dir = folder(t)): Sql => {
  const sql = new Sql(kwargs, { dir })
  t.teardown(() => sql.close())
  sql.reset(seed, {})
  return sql
}
const ask = async (sql: Sql, tool: 'query' | 'execute', statement: string, more = {}) =>
  JSON.parse(await contentOf(sql, tool, { sql: statement, ...more }))
const rows = async (sql: Sql, statement: string, more = {}) => (await ask(sql, 'query', statement, more)).rows

t.test('the class is exported by name and by default', t => {
  t.equal(byDefault, Sql)
  t.equal(Sql.recovery, 'snapshot')
  t.end()
})

t.test('a database begins with its schema, its CSV and its statements', async t => {
  const sql = opened(t, shop)
  t.same(await rows(sql, 'SELECT * FROM product ORDER BY id'), [
    { id: 1, name: 'Tea, green', price: 3.5 },
    { id: 2, name: 'Coffee', price: null },
  ])
  t.match(sql.observe(), {
    tables: [
      {
        name: 'product',
        type: 'table',
        columns: [{ name: 'id', type: 'INTEGER' }, { name: 'name' }, { name: 'price', type: 'REAL' }],
        rows: 2,
      },
      { name: 'sale', rows: 2 },
    ],
    table_count: 2,
  })
  t.match(
    await contentOf(sql, 'schema'),
    /^CREATE TABLE product .*;\nCREATE TABLE sale .*;\nCREATE INDEX sale_day .*;$/,
  )
})

t.test('a table of CSV alone gets types that keep its values', async t => {
  const csv = { 'odd "name"': 'n,r,zip,text,none\r\n-1,1.5,007,"a ""b""\n;",\r\n20,2e3,12,"",\r\n' }
  const sql = opened(t, { csv })
  const columns = await rows(sql, `SELECT name, type FROM pragma_table_info('odd "name"')`)
  t.same(
    columns.map(({ type }: { type: string }) => type),
    ['INTEGER', 'REAL', 'TEXT', 'TEXT', 'TEXT'],
  )
  t.same(await rows(sql, 'SELECT * FROM "odd ""name"""'), [
    { n: -1, r: 1.5, zip: '007', text: 'a "b"\n;', none: null },
    { n: 20, r: 2000, zip: '12', text: '', none: null },
  ])
})

t.test('values come back as they are, and are bound as they are given', async t => {
  const sql = opened(t)
  await ask(sql, 'execute', 'CREATE TABLE v (a)')
  const values = [0, -1.5, 2 ** 53 - 1, 'text', '', null, { base64: 'AAH/' }, { base64: '' }, 'ä\u0001😀']
  for (const value of values) await ask(sql, 'execute', 'INSERT INTO v VALUES (?)', { params: [value] })
  const found = await rows(sql, 'SELECT a, typeof(a) AS type FROM v ORDER BY rowid')
  t.same(
    found.map(({ a }: { a: unknown }) => a),
    values,
  )
  t.same(
    found.map(({ type }: { type: string }) => type).join(' '),
    'integer real integer text text null blob blob text',
  )
  t.same(
    await rows(
      sql,
      'SELECT 9007199254740993 AS big, -9223372036854775808 AS small, 9e999 AS inf, 1 = :yes AS yes',
      {
        params: { yes: true },
      },
    ),
    [{ big: '9007199254740993', small: '-9223372036854775808', inf: 'Infinity', yes: 1 }],
  )
  t.same(await rows(sql, 'SELECT :a + 1 AS x, $b AS y', { params: { ':a': 1, b: 'z' } }), [{ x: 2, y: 'z' }])
  t.same(await rows(sql, "SELECT date('2026-01-31', '+1 day') AS next"), [{ next: '2026-02-01' }])
  t.same((await ask(sql, 'query', 'SELECT 1 AS a, 2 AS a, 3 AS a')).rows, [{ a: 1, 'a:1': 2, 'a:2': 3 }])
})

t.test('rows are cut at the limit, also of a query that never ends, and at a length', async t => {
  const sql = opened(t)
  const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c'
  t.same(await ask(sql, 'query', endless, { limit: 2 }), {
    columns: ['x'],
    rows: [{ x: 1 }, { x: 2 }],
    more: true,
  })
  t.equal((await rows(sql, endless)).length, 100)
  t.same(await ask(sql, 'query', `${endless} LIMIT 2`, { limit: 2 }), {
    columns: ['x'],
    rows: [{ x: 1 }, { x: 2 }],
    more: false,
  })
  const long = await ask(sql, 'query', `SELECT printf('%.*c', 100000, 'x') AS y FROM (${endless} LIMIT 9)`)
  t.match(long, { rows: { length: 2 }, more: true })
  t.match(
    await failure(() => ask(sql, 'query', "SELECT printf('%.*c', 300000, 'x')")),
    'The first row alone is too long',
  )
})

t.test('execute runs all of its statements or none', async t => {
  const sql = opened(t, shop)
  t.match(await ask(sql, 'execute', 'UPDATE product SET price = 4; DELETE FROM sale'), {
    statements: 2,
    changes: 4,
  })
  t.match(
    await failure(() =>
      ask(sql, 'execute', "INSERT INTO product VALUES (3, 'Milk', 1); INSERT INTO nope VALUES (1)"),
    ),
    'no such table: nope',
  )
  t.match(
    await failure(() =>
      ask(sql, 'execute', "DELETE FROM product; INSERT OR ROLLBACK INTO sale VALUES (NULL, '', 1)"),
    ),
    'NOT NULL constraint failed: sale.product',
  )
  t.match(await failure(() => ask(sql, 'execute', 'INSERT INTO sale VALUES (9, NULL, 1)')), /FOREIGN KEY/)
  t.same(await rows(sql, 'SELECT count(*) AS n FROM product'), [{ n: 2 }])
  t.match(await ask(sql, 'execute', "INSERT INTO product (name) VALUES ('Milk') RETURNING id, name"), {
    rows: [{ id: 3, name: 'Milk' }],
  })
  t.match(
    await failure(() => ask(sql, 'execute', 'SELECT ?; SELECT ?', { params: [1] })),
    'params are for one statement, and there are several',
  )
  t.match(await failure(() => ask(sql, 'execute', ' -- nothing\n;')), 'There is no statement')
})

t.test('a semicolon in a text, a comment or a trigger ends no statement', async t => {
  const sql = opened(t)
  const answer = await ask(
    sql,
    'execute',
    `CREATE TABLE a (x); CREATE TABLE log (x); /* ; */
     CREATE TRIGGER t AFTER INSERT ON a BEGIN
       INSERT INTO log VALUES (';' || new.x); -- ; here
       UPDATE log SET x = x || "x" WHERE x = 'b;';
     END;
     INSERT INTO a VALUES ('it''s; one'), (';'); CREATE TABLE [odd;name] (\`a;b\`) /* the end; `,
  )
  t.equal(answer.statements, 5)
  t.same(await rows(sql, 'SELECT x FROM log'), [{ x: ";it's; one" }, { x: ';;' }])
  t.match(
    await failure(() => ask(sql, 'execute', "INSERT INTO a VALUES ('open; DROP TABLE a")),
    /unrecognized token/,
  )
  t.match(
    await failure(() => ask(sql, 'execute', 'CREATE TRIGGER u AFTER INSERT ON a BEGIN SELECT 1;')),
    'incomplete input',
  )
  t.same(await rows(sql, 'SELECT count(*) AS n FROM a'), [{ n: 2 }])
})

t.test('query only reads', async t => {
  const sql = opened(t, shop)
  for (const statement of [
    'DELETE FROM sale',
    'INSERT INTO sale VALUES (1, NULL, 1) RETURNING *',
    'WITH x AS (SELECT 1) DELETE FROM sale',
    'CREATE TABLE x (a)',
    'REINDEX',
  ]) {
    t.match(
      await failure(() => ask(sql, 'query', statement)),
      'This statement writes: use execute',
      statement,
    )
  }
  t.match(
    await failure(() => ask(sql, 'query', 'SELECT * FROM pragma_optimize(0x10002)')),
    /readonly database|no such/,
  )
  t.match(await failure(() => ask(sql, 'query', 'SELECT 1; SELECT 2')), /more than one statement/)
  t.match(await failure(() => ask(sql, 'query', 'SELECT * FROM nope')), 'no such table: nope')
  t.match(await failure(() => ask(sql, 'query', 'SELECT ?')), 'Too few parameter values')
  t.match(
    await failure(() => ask(sql, 'query', 'SELECT ?', { params: [{ a: 1 }] })),
    'params must hold strings',
  )
  t.match(await rows(sql, 'EXPLAIN QUERY PLAN SELECT * FROM sale WHERE day = 1'), [
    { detail: /INDEX sale_day/ },
  ])
  t.match(await rows(sql, 'PRAGMA table_info(sale)'), [{ name: 'product', notnull: 1 }, {}, {}])
  t.match(await ask(sql, 'execute', 'DELETE FROM sale'), { changes: 2 }, 'and execute writes afterwards')
})

t.test('random numbers follow from the seed, the current time from the step', async t => {
  const schema =
    'CREATE TABLE r (a DEFAULT (random()), b DEFAULT (hex(randomblob(4))), c DEFAULT CURRENT_TIMESTAMP)'
  const filled = (seed: number) => {
    const sql = new Sql({ schema, seed_sql: 'INSERT INTO r DEFAULT VALUES' }, { dir: folder(t) })
    t.teardown(() => sql.close())
    sql.reset(seed, {}, contextOf())
    return sql
  }
  const all = 'SELECT a, b, c FROM r'
  const [one, two, other] = [filled(1), filled(1), filled(2)]
  const first = await rows(one, all)
  t.match(first, [{ b: /^[0-9A-F]{8}$/, c: '2026-01-02 03:04:05' }])
  t.same(await rows(two, all), first)
  t.notSame(await rows(other, all), first)
  const drawn = await ask(one, 'execute', 'INSERT INTO r DEFAULT VALUES RETURNING *')
  t.same(await ask(two, 'execute', 'INSERT INTO r DEFAULT VALUES RETURNING *'), drawn)
  t.same(await rows(one, 'SELECT CURRENT_DATE AS d, current_time AS t'), [{ d: '2026-01-02', t: '03:04:05' }])
  t.equal(new Date(at).toISOString().slice(11, 19), '03:04:05')
})

t.test('a reset makes the database anew, with other content when it is told', async t => {
  const sql = opened(t, shop)
  const begun = sql.observe()
  await ask(sql, 'execute', 'DROP TABLE sale; DELETE FROM product')
  sql.reset(1, {})
  t.same(sql.observe(), begun)
  sql.reset(1, { schema: 'CREATE TABLE other (a)', csv: {}, seed_sql: '' })
  t.match(sql.observe(), { tables: [{ name: 'other' }], table_count: 1 })
})

const table = fc.constantFrom('a', 'b')
const change: fc.Arbitrary<Action> = fc
  .oneof(
    fc.tuple(table, fc.oneof(fc.integer(), fc.string(), fc.double({ noNaN: true }))).map(([name, value]) => ({
      sql: `INSERT INTO ${name} VALUES (?, random())`,
      params: [Number.isFinite(value) || typeof value === 'string' ? value : null],
    })),
    table.map(name => ({ sql: `DELETE FROM ${name} WHERE rowid = (SELECT min(rowid) FROM ${name})` })),
    table.map(name => ({
      sql: `CREATE TABLE IF NOT EXISTS ${name} (x, y); CREATE INDEX i_${name} ON ${name} (x)`,
    })),
    table.map(name => ({ sql: `DROP TABLE ${name}` })),
    fc.constant({ sql: 'INSERT INTO a SELECT x, random() FROM a LIMIT 3' }),
    fc.constant({ sql: 'nonsense' }),
  )
  .map(args => ({ tool: 'execute', args }))
const look: Action[] = [
  { tool: 'schema', args: {} },
  { tool: 'query', args: { sql: 'SELECT rowid, * FROM a' } },
  { tool: 'query', args: { sql: 'SELECT rowid, * FROM b' } },
]

t.test(
  'the same seed and actions give the same trajectory, and a snapshot the same state anywhere',
  async t => {
    const [dir, thirdDir] = [folder(t), folder(t)]
    const [one, two] = [opened(t, {}, 1, dir), opened(t)]
    const third = new Sql({ schema: 'CREATE TABLE a (z)' }, { dir: thirdDir })
    t.teardown(() => third.close())
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(change, { maxLength: 15 }), async (seed, actions) => {
        one.reset(seed, {})
        two.reset(seed, {})
        assert.deepEqual(await play(two, actions, seed), await play(one, actions, seed))
        carry([one, dir], [third, thirdDir])
        assert.deepEqual(third.observe(), one.observe())
        const after = [...look, ...actions, ...look]
        assert.deepEqual(await play(third, after, seed), await play(one, after, seed))
      }),
      { numRuns: 15 },
    )
  },
)

t.test('what is kept of a database is what has changed', async t => {
  const dir = folder(t)
  const sql = opened(t, { schema: 'CREATE TABLE big (b)' }, 1, dir)
  const fill = (from: string) => ask(sql, 'execute', `INSERT INTO big SELECT ${from}`)
  const bytesKept = () =>
    readdirSync(path.join(dir, 'kept')).reduce(
      (sum, name) => sum + statSync(path.join(dir, 'kept', name)).size,
      0,
    )
  const keep = () => sql.snapshot({ leaveOut() {}, keepOld: false })
  for (let n = 0; n < 9; n++) await fill('randomblob(1000000)')
  const first = keep()
  t.ok(bytesKept() < 10_000_000)
  await fill("'a little more'")
  const second = keep()
  t.ok(bytesKept() < 10_300_000, 'the state before it lies there too')
  t.same(keep(), second, 'what has not changed is not kept again')
  sql.restore(first)
  t.same(await rows(sql, 'SELECT count(*) AS n FROM big'), [{ n: 9 }])
  sql.restore(second)
  t.same(await rows(sql, 'SELECT count(*) AS n FROM big'), [{ n: 10 }])
  for (let n = 0; n < 10; n++) {
    await ask(sql, 'execute', 'UPDATE big SET b = randomblob(1000000) WHERE rowid < 4')
    keep()
  }
  t.ok(bytesKept() < 25_000_000, `what is not needed any more goes: ${bytesKept()} bytes`)
})

t.test('a database that is full says how much it may have', async t => {
  const database = open(path.join(folder(t), 'database.sqlite'), { random: () => 0, now: () => at }, 8 << 20)
  t.teardown(() => database.close())
  execute(database, 'CREATE TABLE big (b)', undefined)
  const fill = () => execute(database, 'INSERT INTO big VALUES (zeroblob(5000000))', undefined)
  t.match(fill(), { changes: 1 })
  t.match(await failure(fill), 'The database is full: it may have 8 MiB')
  t.equal(database.prepare('SELECT count(*) FROM big').pluck().get(), 1)
})

const hasProgram = spawnSync('sqlite3', ['--version']).status === 0
t.test(
  'the program sqlite3 reads the same from the file',
  { skip: hasProgram ? false : 'install sqlite3 to compare with it' },
  async t => {
    const dir = folder(t)
    const sql = new Sql({ ...shop, schema: `${shop.schema} CREATE VIEW v AS SELECT * FROM sale` }, { dir })
    t.teardown(() => sql.close())
    sql.reset(1, {})
    await ask(
      sql,
      'execute',
      "INSERT INTO sale SELECT 1, '2026-03-' || value, value * 1.5 FROM json_each('[10, 11, 12]')",
    )
    for (const statement of [
      'SELECT * FROM product ORDER BY id',
      'SELECT p.name, sum(s.pieces) AS n FROM sale s JOIN product p ON p.id = s.product GROUP BY 1 ORDER BY 1',
      'SELECT day, row_number() OVER (ORDER BY day DESC) AS r FROM v ORDER BY r',
      "SELECT 'ä''😀' AS t, NULL AS n, 1.0 AS r, 1e100 AS e, -5 / 2 AS i, 0x10 AS h",
      'SELECT name, type FROM sqlite_schema ORDER BY name',
      "SELECT strftime('%Y-%W', '2026-11-21') AS week, julianday('2026-01-01') AS j",
    ]) {
      const theirs = execFileSync('sqlite3', [
        '-json',
        '-readonly',
        path.join(dir, 'database.sqlite'),
        statement,
      ])
      t.same(await rows(sql, statement), JSON.parse(String(theirs)), statement)
    }
    const checked = execFileSync('sqlite3', [path.join(dir, 'database.sqlite'), 'PRAGMA integrity_check'])
    t.equal(String(checked).trim(), 'ok')
  },
)

t.test('what cannot be a database is refused with the name of the field', async t => {
  const dir = folder(t)
  for (const [kwargs, told] of [
    [{ schema: 1 }, 'schema must be a string'],
    [{ csv: { a: 1 } }, 'csv.a must be a string'],
    [{ csv: [] }, 'csv must be an object'],
    [{ file: 'x' }, 'file is not known: there is schema, csv, seed_sql'],
  ] as const) {
    t.match(await failure(() => new Sql(kwargs, { dir })), told, JSON.stringify(kwargs))
  }
  for (const [kwargs, told] of [
    [{ schema: 'CREATE TABEL x' }, 'schema: near "TABEL": syntax error'],
    [{ seed_sql: 'INSERT INTO x VALUES (1)' }, 'seed_sql: no such table: x'],
    [{ csv: { a: 'x,y\n1\n' } }, 'csv.a: row 2 has 1 fields, the header has 2'],
    [{ csv: { a: 'x\n"open\n' } }, 'csv.a: line 2 is not CSV: a quote is out of place'],
    [{ csv: { a: 'x,\n1,2' } }, 'csv.a: a column has no name'],
    [{ csv: { a: '' } }, 'csv.a: a column has no name'],
    [{ schema: 'CREATE TABLE a (x)', csv: { A: 'y\n1' } }, /^csv.A: table A has no column named y/],
  ] as const) {
    const sql = new Sql(kwargs, { dir })
    t.match(await failure(() => sql.reset(1, {})), told, JSON.stringify(kwargs))
    t.match(await failure(() => sql.observe()), 'There is no database: reset comes first')
  }
})

t.test('closing leaves one file that nobody holds', async t => {
  const dir = folder(t)
  const sql = new Sql(shop, { dir })
  sql.reset(1, {})
  sql.close()
  sql.close()
  t.same(readdirSync(dir), ['database.sqlite'])
  if (process.platform === 'linux') {
    const heldIn = (fds: string) =>
      readdirSync(fds).map(fd => {
        try {
          return readlinkSync(path.join(fds, fd))
        } catch {
          return '' // it was closed meanwhile, by what runs beside this test
        }
      })
    t.notMatch(heldIn('/proc/self/fd').join(), dir)
  }
})
