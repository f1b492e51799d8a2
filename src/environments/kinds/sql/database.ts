// Opens the database of a session: one file, with SQLite configured so that a statement can reach nothing else.

import { rmSync } from 'node:fs'
import Library, { type Database } from 'better-sqlite3'

export type { Database }
/** The source of values for random() and CURRENT_TIMESTAMP. */
export type World = { random(): number; now(): number }

/** The greatest size of a database, in bytes. */
export const maxBytes = 1 << 30
const pageBytes = 4096
/** One call of randomblob() returns at most this many bytes. */
const maxRandomBytes = 1 << 20

const define = (database: Database, world: World): void => {
  const word = () => BigInt(Math.floor(world.random() * 2 ** 32))
  const stamp = () => new Date(world.now()).toISOString()
  database.function('random', () => BigInt.asIntN(64, (word() << 32n) | word()))
  database.function('randomblob', (length: unknown) => {
    const bytes = Math.max(1, Math.trunc(Number(length)) || 1)
    if (bytes > maxRandomBytes) throw new Error(`randomblob gives at most ${maxRandomBytes} bytes`)
    return Buffer.alloc(bytes).map(() => Math.floor(world.random() * 256))
  })
  database.function('current_timestamp', () => stamp().slice(0, 19).replace('T', ' '))
  database.function('current_date', () => stamp().slice(0, 10))
  database.function('current_time', () => stamp().slice(11, 19))
  // SQLite's own pragma_database_list would show the path of the file.
  database.table('pragma_database_list', {
    columns: ['seq', 'name', 'file'],
    *rows() {
      yield [0, 'main', '']
    },
  })
}

export const remove = (file: string): void => {
  for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
}

/** Opens the file or creates it. The library keeps `defensive` on and load_extension() off. */
export const open = (file: string, world: World, max = maxBytes): Database => {
  const database = new Library(file)
  try {
    database.pragma(`page_size = ${pageBytes}`)
    database.pragma(`max_page_count = ${max / pageBytes}`)
    // The file of a crashed process is never read again: a session is restored from its kept state. So the file need
    // not be synced. The rollback journal is a file all the same, since the journal of a large transaction does not fit
    // in memory.
    database.pragma('journal_mode = DELETE')
    database.pragma('synchronous = OFF')
    database.pragma('temp_store = FILE')
    define(database, world)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export type Table = {
  name: string
  type: 'table' | 'view' | 'virtual'
  columns: { name: string; type: string }[]
}

/** Tables and views with their columns, by name; without internal tables of SQLite and of virtual tables. */
export const tablesOf = (database: Database): Table[] => {
  const columns = database.prepare<[string], Table['columns'][number]>(
    'SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid',
  )
  const columnsOf = (name: string) => {
    try {
      return columns.all(name)
    } catch {
      return [] // a view of tables that do not exist any more
    }
  }
  return database
    .prepare<[], Omit<Table, 'columns'>>(
      `SELECT name, type FROM pragma_table_list
       WHERE schema = 'main' AND type <> 'shadow' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all()
    .map(table => ({ ...table, columns: columnsOf(table.name) }))
}
