// An environment with a SQLite database for each session, read and changed in SQL.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type {
  Environment,
  EnvironmentClass,
  OpenObject,
  Recovery,
  SnapshotContext,
  StepContext,
  StepResult,
} from '../../../contract/environment.ts'
import { foundFile } from '../shared/kept/found.ts'
import { createKept, type Kept, type Reference } from '../shared/kept/kept.ts'
import { randomFrom } from '../shared/random.ts'
import type { Schema } from '../shared/schema.ts'
import { toolbox } from '../shared/toolbox.ts'
import { type Database, maxBytes, open, quoted, remove, tablesOf, type World } from './database.ts'
import { execute, query } from './run.ts'
import { parameters, plant, seedOf } from './seed.ts'

const statement: Schema = { type: 'string', minLength: 1, maxLength: 1 << 20 }
const params: Schema = {
  type: ['array', 'object'],
  description:
    'Values for the ? of the statement (a list), or for its :names (an object). A blob is {"base64": "…"}.',
}
/** An observation describes at most this many tables. */
const maxTables = 200
const fileName = 'database.sqlite'

export class Sql implements Environment {
  static readonly recovery: Recovery = 'snapshot'
  static readonly description =
    'A SQLite database of its own, made from SQL or CSV, with tools to ask it and to change it. ' +
    'No other file can be reached.'
  static readonly parameters = parameters
  static readonly limits = `A database may have ${maxBytes >> 30} GiB.`

  readonly #kwargs: OpenObject
  readonly #dir: string
  readonly #file: string
  readonly #kept: Kept
  readonly #world: World = { random: randomFrom(0), now: Date.now }
  #database: Database | undefined

  constructor(kwargs: OpenObject, { dir }: { dir: string }) {
    this.#kwargs = kwargs
    seedOf(kwargs)
    mkdirSync(dir, { recursive: true })
    this.#dir = dir
    this.#file = path.join(dir, fileName)
    this.#kept = createKept(path.join(dir, 'kept'))
  }

  readonly #tools = toolbox({
    query: {
      description:
        'Runs one statement that only reads (SELECT, WITH, VALUES, EXPLAIN, PRAGMA table_info and the like) and gives ' +
        'its columns and rows as JSON; "more" says that rows were left out. Integers beyond 2^53 are strings, blobs ' +
        '{"base64": "…"}.',
      required: { sql: { ...statement, description: 'One statement in the SQL of SQLite.' } },
      optional: {
        params,
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 10_000,
          default: 100,
          description: 'How many rows at most.',
        },
      },
      run: ({ sql, params: bound, limit }) =>
        this.#answer(database => query(database, sql as string, bound, limit as number)),
    },
    execute: {
      description:
        'Runs one or more statements (INSERT, UPDATE, DELETE, CREATE, DROP, ALTER …) as one transaction: all of them ' +
        'or, when one fails, none. Gives the number of changed rows, and the first 100 rows of the last statement that has ' +
        'any (RETURNING).',
      required: {
        sql: { ...statement, description: 'Statements in the SQL of SQLite, separated by semicolons.' },
      },
      optional: { params: { ...params, description: `${params.description} Only with one statement.` } },
      run: ({ sql, params: bound }) => this.#answer(database => execute(database, sql as string, bound)),
    },
    schema: {
      description: 'Gives the statements that make the tables, views, indexes and triggers as they are now.',
      run: () => {
        const statements = this.#current()
          .prepare<[], string>(
            `SELECT sql || ';' FROM sqlite_schema
             WHERE sql IS NOT NULL AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
             ORDER BY tbl_name, type <> 'table', name`,
          )
          .pluck()
          .all()
        return { content: statements.length === 0 ? '(the database is empty)' : statements.join('\n') }
      },
    },
  })

  /** `moment` is the clock of the reset; by default the clock of the machine. */
  reset(seed: number, options: OpenObject, moment: Pick<StepContext, 'now'> = { now: Date.now }): OpenObject {
    const planted = seedOf({ ...this.#kwargs, ...options })
    Object.assign(this.#world, { random: randomFrom(seed), now: moment.now })
    const database = this.#reopen()
    try {
      plant(database, planted)
    } catch (error) {
      this.close()
      throw error
    }
    return this.observe()
  }

  step(tool: string, args: OpenObject, context: StepContext): StepResult | Promise<StepResult> {
    Object.assign(this.#world, { random: context.random, now: context.now })
    return this.#tools.call(tool, args, context)
  }

  observe(): OpenObject {
    const database = this.#current()
    const tables = tablesOf(database)
    const count = (name: string) =>
      database
        .prepare(`SELECT count(*) FROM ${quoted(name)}`)
        .pluck()
        .get() as number
    return {
      tables: tables.slice(0, maxTables).map(({ name, type, columns }) => ({
        name,
        type,
        columns,
        ...(type !== 'view' && { rows: count(name) }),
      })),
      table_count: tables.length,
      size_bytes: database
        .prepare('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size')
        .pluck()
        .get(),
    }
  }

  tools() {
    return this.#tools.definitions()
  }

  snapshot(context: SnapshotContext): { kept: Reference } {
    return { kept: this.#kept.keep(this.#dir, [foundFile(this.#dir, fileName)], context) }
  }

  restore(data: unknown): void {
    const { kept } = data as { kept: Reference }
    this.close()
    remove(this.#file)
    this.#kept.restore(this.#dir, [], kept)
    this.#database = open(this.#file, this.#world)
  }

  close(): void {
    this.#database?.close()
    this.#database = undefined
  }

  #reopen(): Database {
    this.close()
    remove(this.#file)
    this.#database = open(this.#file, this.#world)
    return this.#database
  }

  #current(): Database {
    if (this.#database === undefined) throw new Error('There is no database: reset comes first')
    return this.#database
  }

  #answer(run: (database: Database) => OpenObject): StepResult {
    const answer = run(this.#current())
    return { content: JSON.stringify(answer), observation: answer }
  }
}

export default Sql satisfies EnvironmentClass
