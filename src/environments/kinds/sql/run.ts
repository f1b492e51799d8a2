// Runs SQL statements: one that only reads, with its rows up to a limit; or several that write, all of them or none.
import type { Statement } from 'better-sqlite3'
import type { Database } from './database.ts'
import { prepare, statementsOf } from './statements.ts'
import { boundOf, fieldNames, type Json, toJson } from './values.ts'

export type Rows = {
  columns: string[]
  rows: Record<string, Json>[]
  /** Whether rows were left out. */
  more: boolean
}
export type Written = { statements: number; changes: number } & Partial<Rows>

/** All rows together have at most this many characters as JSON. */
const longest = 256 << 10

const rowsOf = (statement: Statement<unknown[]>, params: unknown, limit: number): Rows => {
  const columns = fieldNames(statement.columns().map(({ name }) => name))
  const rows: Rows['rows'] = []
  let room = longest
  for (const values of statement
    .raw()
    .safeIntegers()
    .iterate(...boundOf(params)) as Iterable<unknown[]>) {
    if (rows.length === limit) return { columns, rows, more: true }
    const row = Object.fromEntries(columns.map((name, index) => [name, toJson(values[index])]))
    room -= JSON.stringify(row).length
    if (room < 0 && rows.length === 0) {
      throw new Error('The first row alone is too long: select less of it, with substr() for example')
    }
    if (room < 0) return { columns, rows, more: true }
    rows.push(row)
  }
  return { columns, rows, more: false }
}

const fullText = (database: Database): string => {
  const mebibytes = Number(database.pragma('max_page_count', { simple: true })) / 256 // 256 pages of 4 KiB
  return `The database is full: it may have ${mebibytes < 1024 ? `${mebibytes} MiB` : `${mebibytes / 1024} GiB`}`
}
const worded = (error: unknown, database: Database): Error => {
  const { code, message } = error as { code?: string; message: string }
  return new Error(code === 'SQLITE_FULL' ? fullText(database) : message)
}

/** Throws if the statement can write. */
export const query = (database: Database, sql: string, params: unknown, limit: number): Rows => {
  try {
    const statement = prepare(database, sql)
    if (!statement.readonly) throw new Error('This statement writes: use execute')
    // Some functions write although SQLite calls the statement read-only, for example optimize.
    database.pragma('query_only = ON')
    return rowsOf(statement, params, limit)
  } catch (error) {
    throw worded(error, database)
  } finally {
    database.pragma('query_only = OFF')
  }
}

const refuseTemporary = (database: Database): void => {
  if (!database.inTransaction) throw new Error('A statement has rolled everything back')
  if (database.prepare('SELECT 1 FROM temp.sqlite_schema').get() !== undefined) {
    throw new Error('Temporary tables, views and triggers are not kept: make them without TEMP')
  }
}

const runAll = (database: Database, sql: string, params: unknown): Written => {
  const total = database.prepare('SELECT total_changes()').pluck()
  const before = total.get() as number
  let count = 0
  let last: Rows | undefined
  for (const statement of statementsOf(database, sql)) {
    if (count === 1 && params !== undefined)
      throw new Error('params are for one statement, and there are several')
    if (statement.reader) last = rowsOf(statement, params, 100)
    else statement.run(...boundOf(params))
    refuseTemporary(database)
    count++
  }
  if (count === 0) throw new Error('There is no statement')
  return { statements: count, changes: (total.get() as number) - before, ...last }
}

/** Runs statements as one transaction, and returns the rows of the last statement that returns rows. */
export const execute = (database: Database, sql: string, params: unknown): Written => {
  database.exec('BEGIN')
  try {
    const written = runAll(database, sql, params)
    database.exec('COMMIT')
    return written
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw worded(error, database)
  }
}
