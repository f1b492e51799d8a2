// Prepared statements that go on working when the database is replaced by another one: they are then prepared again.
import type Database from 'better-sqlite3'

export interface Statement<Given extends unknown[], Row> {
  run(...given: Given): unknown
  get(...given: Given): Row | undefined
  all(...given: Given): Row[]
  iterate(...given: Given): IterableIterator<Row>
  pluck(): Statement<Given, Row>
  raw(): Statement<Given, Row>
}

/** `database` returns the database that is there now. */
export const createPrepare = (database: () => Database.Database) => {
  const prepare = <Given extends unknown[], Row>(
    sql: string,
    kind?: 'pluck' | 'raw',
  ): Statement<Given, Row> => {
    const prepared = () => {
      const statement = database().prepare<Given, Row>(sql) as unknown as Database.Statement<Given, Row>
      return kind === undefined ? statement : statement[kind]()
    }
    let preparedOn = database()
    let statement = prepared()
    const current = () => {
      const now = database()
      if (preparedOn !== now) {
        statement = prepared()
        preparedOn = now
      }
      return statement
    }
    return {
      run: (...given) => current().run(...given),
      get: (...given) => current().get(...given),
      all: (...given) => current().all(...given),
      iterate: (...given) => current().iterate(...given),
      pluck: () => prepare(sql, 'pluck'),
      raw: () => prepare(sql, 'raw'),
    }
  }
  return prepare
}
