// Writes rows that are given as objects, whose fields are the columns. So the code names each column only once, beside
// its value. All rows of a writer must have the same fields in the same order. A row may come in several objects. One
// object with so many fields would be a dictionary in V8, and would take more memory than everything else that a task
// needs.
import type { ReadStore, Statement } from './store.ts'

type Value = string | number | null
type Row = Record<string, Value>
type Write = Statement<Value[], unknown>

const valuesOf = (parts: Row[]): Value[] => {
  const values: Value[] = []
  for (const part of parts) values.push(...Object.values(part))
  return values
}

export const rowInserter = (store: ReadStore, table: string): ((...parts: Row[]) => void) => {
  let insert: Write | undefined
  return (...parts) => {
    if (insert === undefined) {
      const columns = parts.flatMap(Object.keys)
      const places = columns.map(() => '?')
      insert = store.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`)
    }
    insert.run(...valuesOf(parts))
  }
}

/** `key`: the column that names the row to change. */
export const rowUpdater = (
  store: ReadStore,
  table: string,
  key: string,
): ((at: Value, ...parts: Row[]) => void) => {
  let update: Write | undefined
  return (at, ...parts) => {
    if (update === undefined) {
      const columns = parts.flatMap(Object.keys).map(column => `${column} = ?`)
      update = store.prepare(`UPDATE ${table} SET ${columns.join(', ')} WHERE ${key} = ?`)
    }
    update.run(...valuesOf(parts), at)
  }
}
