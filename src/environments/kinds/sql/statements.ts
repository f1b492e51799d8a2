// Decides which statements may run. The library does not offer SQLite's authorizer, so the first word of a statement
// decides: in the grammar of SQLite it determines the kind of statement.
import type { Database, Statement } from 'better-sqlite3'

const blank = /^(?:[ \t\n\f\r;]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))+/
const withoutBlank = (sql: string): string => sql.replace(blank, '')

// ATTACH and VACUUM INTO would reach other files. Transactions and PRAGMA could undo the configuration of the database.
const words = new Set(
  'select values with insert replace update delete create drop alter reindex analyze'.split(' '),
)
const askingPragmas = new Set(
  (
    'table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check ' +
    'integrity_check quick_check collation_list function_list module_list pragma_list compile_options'
  ).split(' '),
)
const pragma = /^pragma\s+(?:main\s*\.\s*)?(\w+)\s*(?:\([^;]*\)\s*)?;?\s*$/i
const explain = /^explain\b(?:\s+query\s+plan\b)?/i

const inTransaction = 'each call of execute is a transaction of its own'
const reasons = new Map([
  ['attach', 'there is one database, and no other file can be reached'],
  ['vacuum', 'no other file can be reached'],
  ['pragma', `the only PRAGMAs are ${[...askingPragmas].join(', ')}, and none of them may set a value`],
  ...['begin', 'commit', 'end', 'rollback', 'savepoint', 'release'].map(
    word => [word, inTransaction] as const,
  ),
])

const unlessAllowed = (sql: string): void => {
  const statement = withoutBlank(sql)
  const asked = pragma.exec(statement)?.[1]?.toLowerCase()
  if (asked !== undefined && askingPragmas.has(asked)) return
  const word = /^[a-z]+(?![\w$\u0080-\uffff])/i
    .exec(withoutBlank(statement.replace(explain, '')))?.[0]
    .toLowerCase()
  if (word !== undefined && words.has(word)) return
  const why =
    reasons.get(word ?? '') ?? `use ${[...words].join(', ').toUpperCase()}, or EXPLAIN of one of these`
  throw new Error(`${word?.toUpperCase() ?? 'This'} is not allowed: ${why}`)
}

/** Compiles one statement. Throws if the text is not exactly one statement, or if it may not run. */
export const prepare = (database: Database, sql: string): Statement<unknown[]> => {
  if (sql.includes('\0')) throw new Error('SQL cannot hold a NUL character')
  if (withoutBlank(sql) === '') throw new Error('There is no statement')
  unlessAllowed(sql) // before the compilation, since some PRAGMAs act during it
  return database.prepare(sql)
}

const piece = /'[^']*'?|"[^"]*"?|`[^`]*`?|\[[^\]]*\]?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|;|[^;'"`[/-]+|[/-]/g

/** The positions where a statement may end: after each semicolon outside of quotes and comments, and at the end. */
const ends = (sql: string): number[] => [
  ...[...sql.matchAll(piece)].flatMap(({ 0: text, index }) => (text === ';' ? [index + 1] : [])),
  sql.length,
]

/**
 * Compiles the statements of a text one after another, each after the one before it has run. A semicolon inside of a
 * trigger does not end the statement: SQLite reports that the text up to this semicolon is incomplete.
 */
export function* statementsOf(database: Database, sql: string): Generator<Statement<unknown[]>> {
  let start = 0
  for (const end of ends(sql)) {
    const text = sql.slice(start, end)
    if (withoutBlank(text) === '') continue
    let statement: Statement<unknown[]>
    try {
      statement = prepare(database, text)
    } catch (error) {
      if ((error as Error).message === 'incomplete input' && end < sql.length) continue
      throw error
    }
    start = end
    yield statement
  }
}
