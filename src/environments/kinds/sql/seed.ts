// Fills a new database: first the statements of `schema` run, then the values of `csv` are inserted, then the
// statements of `seed_sql` run.
import type { OpenObject } from '../../../contract/environment.ts'
import { checked, type ObjectSchema } from '../shared/schema.ts'
import { parseCsv, typeOf } from './csv.ts'
import { type Database, quoted, tablesOf } from './database.ts'
import { execute } from './run.ts'

export const parameters: ObjectSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    schema: { type: 'string', description: 'SQL statements that create the tables. They run first.' },
    csv: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'The rows of tables, by the name of the table: comma-separated values with a header line. A table that schema ' +
        'does not create is created. Each of its columns is INTEGER, REAL or TEXT, whichever fits all its values. ' +
        'An empty field is NULL, "" is an empty text.',
    },
    seed_sql: {
      type: 'string',
      description: 'SQL statements that run last, for example to fill the tables.',
    },
  },
}
export type Seed = { schema?: string; csv?: Record<string, string>; seed_sql?: string }

export const seedOf = (given: OpenObject): Seed => checked(parameters, given) as Seed

const load = (database: Database, table: string, text: string): void => {
  const [header = [], ...rows] = parseCsv(text)
  const names = header.map(name => {
    if (name === null || name === '') throw new Error('a column has no name')
    return quoted(name)
  })
  if (!tablesOf(database).some(({ name }) => name.toLowerCase() === table.toLowerCase())) {
    const columns = names.map((name, index) => `${name} ${typeOf(rows.map(row => row[index] ?? null))}`)
    database.exec(`CREATE TABLE ${quoted(table)} (${columns.join(', ')})`)
  }
  const insert = database.prepare(
    `INSERT INTO ${quoted(table)} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  for (const row of rows) insert.run(...row)
}

const namingField = (field: string, job: () => unknown): void => {
  try {
    job()
  } catch (error) {
    throw new Error(`${field}: ${(error as Error).message}`)
  }
}

const run = (database: Database, field: string, statements = ''): void => {
  if (statements.trim() !== '') namingField(field, () => execute(database, statements, undefined))
}

/** Fills the database. Throws an Error that names the field with the invalid content. */
export const plant = (database: Database, { schema, csv = {}, seed_sql }: Seed): void => {
  run(database, 'schema', schema)
  for (const [table, text] of Object.entries(csv)) {
    namingField(`csv.${table}`, () => database.transaction(() => load(database, table, text))())
  }
  run(database, 'seed_sql', seed_sql)
}
