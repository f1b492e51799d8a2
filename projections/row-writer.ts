// Writes rows that are given as objects, whose fields are the columns. So a column stands in one place, beside its value.
// All rows of a writer must have the same fields in the same order.
import type { ReadStore, Statement } from './store.ts'

type Value = string | number | null
type Row = Record<string, Value>
type Write = Statement<Value[], unknown>

export const rowInserter = (store: ReadStore, table: string): ((row: Row) => void) => {
  let insert: Write | undefined
  return row => {
    const columns = Object.keys(row)
    insert ??= store.prepare(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
    insert.run(...Object.values(row))
  }
}

/** `key`: the column that names the row to change. */
export const rowUpdater = (store: ReadStore, table: string, key: string): ((at: Value, row: Row) => void) => {
  let update: Write | undefined
  return (at, row) => {
    const columns = Object.keys(row).map(column => `${column} = ?`)
    update ??= store.prepare(`UPDATE ${table} SET ${columns.join(', ')} WHERE ${key} = ?`)
    update.run(...Object.values(row), at)
  }
}
