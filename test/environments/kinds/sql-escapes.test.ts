// What a database must not reach: other files, and what was set up around it.

import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Library from 'better-sqlite3'
import t, { type Test } from 'tap'
import { Sql } from '../../../src/environments/kinds/sql/sql.ts'
import { prepare } from '../../../src/environments/kinds/sql/statements.ts'
import fc from '../../support/fast-check.ts'
import { contentOf, failure, folder } from './support.ts'

const given = (t: Test) => {
  const outside = folder(t)
  const secret = path.join(outside, 'secret.sqlite')
  const other = new Library(secret)
  other.exec("CREATE TABLE s (word); INSERT INTO s VALUES ('the secret')")
  other.close()
  writeFileSync(path.join(outside, 'secret.txt'), 'the secret')
  const dir = folder(t)
  const sql = new Sql({ schema: 'CREATE TABLE a (x)' }, { dir })
  t.teardown(() => sql.close())
  sql.reset(1, {})
  const fresh = path.join(outside, 'fresh')
  return { sql, dir, outside, secret, fresh }
}
const both = async (sql: Sql, statement: string) => [
  await failure(() => contentOf(sql, 'query', { sql: statement })),
  await failure(() => contentOf(sql, 'execute', { sql: statement })),
]

t.test('no other file is read, made or loaded, however it is said', async t => {
  const { sql, outside, secret, fresh, dir } = given(t)
  for (const statement of [
    `ATTACH '${secret}' AS s`,
    `attach database '${secret}' as s`,
    `;; /* ; */ -- x\n\t\f ATTACH '${secret}' AS s`,
    `/* unclosed ATTACH */ATTACH '${secret}' AS s`,
    `-- ;SELECT 1 \nATTACH '${secret}' AS s`,
    `-- \r SELECT 1\nATTACH '${secret}' AS s`,
    `/*/ SELECT 1 */ ATTACH '${secret}' AS s`,
    `/* '*/ ATTACH '${secret}' AS s -- '`,
    `EXPLAIN ATTACH '${secret}' AS s`,
    `EXPLAIN/**/ATTACH '${fresh}' AS s`,
    `\ufeffATTACH '${secret}' AS s`,
    `ATTACH 'file:${secret}?mode=ro' AS s`,
    `VACUUM INTO '${fresh}'`,
    `/**/vacuum/**/main/**/into '${fresh}'`,
    'VACUUM',
    'DETACH main',
    `SELECT load_extension('${fresh}')`,
    `SELECT readfile('${path.join(outside, 'secret.txt')}')`,
    `SELECT writefile('${fresh}', 'x')`,
    `SELECT * FROM fsdir('${outside}')`,
    `SELECT sqlite_attach('${secret}', 's', '')`,
    `SELECT edit('x')`,
    `CREATE VIRTUAL TABLE c USING csv(filename='${secret}')`,
    `CREATE VIRTUAL TABLE z USING zipfile('${secret}')`,
    `SELECT fts3_tokenizer('simple', x'0000000000000000')`,
    `PRAGMA temp_store_directory = '${outside}'`,
    `PRAGMA journal_mode = WAL`,
    `PRAGMA main.journal_mode(WAL)`,
    `PRAGMA writable_schema = ON`,
    `PRAGMA max_page_count = 1000000`,
    `PRAGMA query_only = OFF`,
    `PRAGMA mmap_size = 1`,
    `PRAGMA database_list`,
    `PRAGMA /* table_info */ max_page_count(1000000)`,
    `PRAGMA table_info/**/.max_page_count(1000000)`,
    `PRAGMA "table_info"(a)`,
    `PRAGMA table_info(a); PRAGMA max_page_count = 1000000`,
    `EXPLAIN PRAGMA max_page_count = 1000000`,
    `EXPLAIN QUERY PLAN PRAGMA max_page_count = 1000000`,
    `BEGIN`,
    `COMMIT`,
    `ROLLBACK`,
    `SAVEPOINT s`,
    `INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 2, 'x')`,
    `CREATE TEMP TABLE t (a)`,
    `CREATE TABLE temp.t (a)`,
    `CREATE TRIGGER tr AFTER INSERT ON a BEGIN ATTACH '${secret}' AS s; END`,
    `SELECT 1; ATTACH '${secret}' AS s`,
    `INSERT INTO a VALUES (1); ATTACH '${secret}' AS s`,
    `SELECT 1 \0; ATTACH '${secret}' AS s`,
  ]) {
    const [queried, executed] = await both(sql, statement)
    for (const told of [queried, executed]) {
      t.notMatch(told, /^answered/, statement)
      t.notMatch(told, 'the secret', statement)
    }
  }
  t.same(readdirSync(outside).sort(), ['secret.sqlite', 'secret.txt'])
  t.same(readdirSync(dir), ['database.sqlite'])
  t.match(
    await contentOf(sql, 'query', { sql: 'SELECT max_page_count AS n FROM pragma_max_page_count' }),
    '"n":262144',
  )
  t.match(await contentOf(sql, 'schema'), /^CREATE TABLE a \(x\);$/)
})

t.test('no path of the machine is told', async t => {
  const { sql, dir } = given(t)
  for (const statement of [
    'SELECT * FROM pragma_database_list',
    'SELECT * FROM pragma_table_list',
    'SELECT * FROM pragma_compile_options',
    'SELECT * FROM pragma_module_list',
    'SELECT * FROM dbstat',
    'PRAGMA integrity_check',
  ]) {
    const [told = ''] = await both(sql, statement)
    t.match(told, /^answered/, statement)
    t.notMatch(told, dir, statement)
    t.notMatch(told, 'database.sqlite', statement)
  }
})

// The judge: what SQLite itself compiles a text to. Both of these statements show in it.
const reaching = (database: InstanceType<typeof Library>, statement: string): boolean => {
  const codes = database.prepare(`EXPLAIN ${statement}`).all() as { opcode: string; p4: string | null }[]
  return codes.some(({ opcode, p4 }) => opcode === 'Vacuum' || /^sqlite_(at|de)tach/.test(p4 ?? ''))
}
const piece = fc.oneof(
  fc.constantFrom(
    ' ',
    '\n',
    '\f',
    ';',
    '--',
    '/*',
    '*/',
    '/',
    '*',
    '-',
    "'",
    '"',
    '[',
    ']',
    '`',
    '(',
    ')',
    '\v',
    '\ufeff',
  ),
  fc.constantFrom(
    'ATTACH ',
    'VACUUM ',
    'INTO ',
    'DETACH ',
    'EXPLAIN ',
    'QUERY PLAN ',
    'SELECT 1 ',
    'WITH ',
    'main ',
  ),
  fc.constantFrom(
    "ATTACH 'no' AS n",
    "VACUUM INTO 'no'",
    'SELECT 1',
    '-- x\n',
    '/* x */',
    'x',
    '1',
    '\u00a0',
  ),
)

t.test('whatever stands around it, a statement that reaches a file is not let through', t => {
  const database = new Library(':memory:')
  t.teardown(() => database.close())
  const letThrough = (text: string): boolean => {
    try {
      prepare(database, text)
      return true
    } catch {
      return false
    }
  }
  t.ok(
    reaching(database, "ATTACH 'no' AS n") && reaching(database, "VACUUM INTO 'no'"),
    'the judge knows both',
  )
  t.ok(letThrough('/* ATTACH */ SELECT 1;'), 'and something is let through')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), pieces => {
      const text = pieces.join('')
      if (!letThrough(text)) return true
      try {
        return !reaching(database, text)
      } catch {
        return true // an EXPLAIN, which runs nothing
      }
    }),
    {
      numRuns: 5_000,
      examples: [[['/*', '*/', "ATTACH 'no' AS n"]], [['--', '\n', ';', "VACUUM INTO 'no'"]]],
    },
  )
  t.notOk(existsSync('no'))
  t.end()
})
