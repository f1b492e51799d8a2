// A database that can be replaced by an empty one while the server runs: callers keep their prepared statements. So
// read models in a damaged file are rebuilt without a restart.
import type Database from 'better-sqlite3'
import { type Checkpoints, none } from '../src/platform/sqlite/checkpoints.ts'

export interface Statement<Given extends unknown[], Row> {
  run(...given: Given): unknown
  get(...given: Given): Row | undefined
  all(...given: Given): Row[]
  iterate(...given: Given): IterableIterator<Row>
  pluck(): Statement<Given, Row>
  raw(): Statement<Given, Row>
}

export interface ReadStore {
  prepare<Given extends unknown[], Row = unknown>(sql: string): Statement<Given, Row>
  /**
   * Wraps the work so that each call does all of it or nothing. What it writes is in the file after the next `commit`,
   * and this connection sees it at once. A failure of the disk also takes back what earlier calls wrote since the last
   * commit.
   */
  transaction<Given extends unknown[]>(work: (...given: Given) => void): (...given: Given) => void
  /** Commits what transactions wrote. When it throws, nothing of that is written. */
  commit(): void
  /**
   * Whether writes that can wait should wait, because the WAL is copied. SQLite uses the WAL again from its start only
   * when everything was copied before the next write begins.
   */
  isCopying(): boolean
  exec(sql: string): void
  pragma(text: string, options?: { simple?: boolean }): unknown
  /**
   * Writes the file anew, without its free space, which still has texts of removed rows. Rows that are written
   * meanwhile are lost, so `replaced` must read the checkpoint again. `replaced` is called in the same turn in which
   * statements begin to work on the new file.
   */
  rewrite(replaced: () => void): Promise<void>
  /**
   * Removes everything, the file included. Statements then work on the new, empty tables. Until this resolves, they
   * work on the old ones.
   */
  renew(): Promise<void>
  close(): Promise<void>
}

/** `copy`: copies the database to a new file. `replace`: puts the new file in the place of the closed old one. */
export type Rewriting = { copy(): Promise<void>; replace(): void }
const nothingToRewrite: Rewriting = { copy: async () => {}, replace: () => {} }

const transactionsOn = (
  current: () => Database.Database,
  checkpoints: Checkpoints,
): Pick<ReadStore, 'transaction' | 'commit'> => ({
  transaction:
    work =>
    (...given) => {
      const db = current()
      if (!db.inTransaction) {
        checkpoints.writes()
        db.exec('BEGIN')
      }
      db.transaction(work)(...given) // inside of a transaction, this makes a savepoint
    },
  commit() {
    const db = current()
    if (!db.inTransaction) return
    try {
      db.exec('COMMIT')
    } finally {
      if (db.inTransaction) db.exec('ROLLBACK')
      checkpoints.wrote()
    }
  },
})

/** `open` opens the existing file. `make` replaces that file by an empty one. */
export const renewable = (
  open: () => Database.Database,
  make: () => Database.Database,
  checkpoints: Checkpoints = none,
  rewriting: Rewriting = nothingToRewrite,
): ReadStore => {
  let db = open()

  const prepare = <Given extends unknown[], Row>(
    sql: string,
    kind?: 'pluck' | 'raw',
  ): Statement<Given, Row> => {
    const prepared = () => {
      const statement = db.prepare<Given, Row>(sql) as unknown as Database.Statement<Given, Row>
      return kind === undefined ? statement : statement[kind]()
    }
    let preparedOn = db
    let statement = prepared()
    const current = () => {
      if (preparedOn !== db) {
        statement = prepared()
        preparedOn = db
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

  const { transaction, commit } = transactionsOn(() => db, checkpoints)

  return {
    prepare: sql => prepare(sql),
    transaction,
    commit,
    isCopying: checkpoints.isCopying,
    exec: sql => void db.exec(sql),
    pragma: (text, options) => db.pragma(text, options),
    async rewrite(replaced) {
      commit()
      await rewriting.copy()
      await checkpoints.release()
      if (rewriting === nothingToRewrite) return
      commit()
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.close()
      try {
        rewriting.replace()
      } finally {
        db = open()
        replaced()
      }
    },
    async renew() {
      // The last connection of a database removes the WAL by name when it closes. So the checkpoint thread must close
      // its connection before the new file is there: it would otherwise remove the WAL of the new file.
      await checkpoints.release()
      db.close()
      db = make()
    },
    close() {
      try {
        commit()
      } catch {
        // The rows are lost, and the next start makes them from the log.
      }
      const copied = checkpoints.close()
      db.close()
      return copied
    },
  }
}
