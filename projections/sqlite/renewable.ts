// A database that can be replaced by an empty one while the server runs: callers keep their prepared statements. So
// read models in a damaged file are rebuilt without a restart.
import type Database from 'better-sqlite3'
import { type Checkpoints, none } from '../../src/platform/sqlite/checkpoints.ts'
import { openTransaction } from './open-transaction.ts'
import { createPrepare, type Statement } from './statements.ts'

export interface ReadStore {
  prepare<Given extends unknown[], Row = unknown>(sql: string): Statement<Given, Row>
  /**
   * Wraps the work so that each call does all of it or nothing. What it writes is in the file after the next `commit`,
   * and this connection sees it at once. When a call throws, everything is taken back that was written since the last
   * commit. A failure of the disk outside of these calls may do the same; the next call or commit then throws.
   */
  transaction<Given extends unknown[]>(work: (...given: Given) => void): (...given: Given) => void
  /** Commits what these calls wrote. Returns whether there was something. When it throws, all of that is taken back. */
  commit(): boolean
  /** Throws if a failure of the disk has taken back what these calls wrote since the last commit. */
  mustBeWhole(): void
  /** Takes back what these calls wrote since the last commit. */
  rollBack(): void
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

/** `open` opens the existing file. `make` replaces that file by an empty one. */
export const renewable = (
  open: () => Database.Database,
  make: () => Database.Database,
  checkpoints: Checkpoints = none,
  rewriting: Rewriting = nothingToRewrite,
): ReadStore => {
  let db = open()

  const prepare = createPrepare(() => db)
  const transaction = openTransaction(() => db, checkpoints)

  return {
    prepare: sql => prepare(sql),
    transaction:
      work =>
      (...given) =>
        transaction.write(() => work(...given)),
    commit: transaction.commit,
    mustBeWhole: transaction.mustBeWhole,
    rollBack: transaction.rollBack,
    isCopying: checkpoints.isCopying,
    exec: sql => void db.exec(sql),
    pragma: (text, options) => db.pragma(text, options),
    async rewrite(replaced) {
      await rewriting.copy()
      if (rewriting === nothingToRewrite) return
      await checkpoints.release()
      transaction.rollBack()
      try {
        db.pragma('wal_checkpoint(TRUNCATE)')
        db.close()
        rewriting.replace()
      } finally {
        if (!db.open) db = open()
        replaced()
      }
    },
    async renew() {
      // The last connection of a database removes the WAL by name when it closes. So the checkpoint thread must close
      // its connection before the new file is there: it would otherwise remove the WAL of the new file.
      await checkpoints.release()
      transaction.rollBack()
      db.close()
      db = make()
    },
    async close() {
      try {
        transaction.commit()
      } catch {
        // The rows are lost, and the next start makes them from the log.
      }
      // The last connection copies the WAL into the file. If two connections close in the same moment, each can take
      // the other for the last one, and the WAL stays. So the checkpoint thread closes its connection before.
      await checkpoints.close()
      db.close()
    },
  }
}
