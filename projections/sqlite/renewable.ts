// A database that can be replaced while the server runs, by an empty one or by a copy of itself: callers keep their
// prepared statements. So read models in a damaged file are rebuilt without a restart.
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
  /** Copies the database to a file of its own, in another thread. Undefined: the database has no file. */
  copy(): Promise<Copy | undefined>
  /**
   * Removes everything, the file included. Statements then work on the new, empty tables. Until this resolves, they
   * work on the old ones.
   */
  renew(): Promise<void>
  isOpen(): boolean
  close(): Promise<void>
}

/** A copy of the database in a file of its own, without free space, which still has texts of removed rows. */
export type Copy = {
  /** Works on the copy. From `replace` on, it works on the database, which is the copy then. */
  store: ReadStore
  /** Makes everything durable that was written to the copy. */
  sync(): Promise<void>
  /** Lets other threads close the file of the database. `replace` must follow in the turn in which this resolves. */
  release(): Promise<void>
  /**
   * Puts the copy in the place of the database, in this turn. Rows that were written only to the database are lost. When
   * it throws, the database may be an empty one.
   */
  replace(): void
  /** Makes durable that the copy has taken the place of the old file, so that the old file never comes back. */
  settle(): Promise<void>
  /** Removes the copy. */
  discard(): void
}

/** How the file of a database is copied and replaced. */
export type Rewriting = {
  /** Makes the new file. */
  make(): Promise<void>
  /** Opens the new file. Nobody else uses it, and a crash may destroy it. */
  open(): Database.Database
  sync(): Promise<void>
  /** Keeps the old file open, so that the last one who closes it is not the one who replaces it: that takes long. */
  hold(): void
  /** Puts the new file in the place of the closed old one. `close` closes the old one. */
  replace(close: () => void): void
  settle(): Promise<void>
  discard(): void
}

type Used = {
  db: Database.Database
  transaction: ReturnType<typeof openTransaction>
  checkpoints: Checkpoints
}

type Tables = Omit<ReadStore, 'copy' | 'renew' | 'isOpen' | 'close'>

const tablesOf = (used: () => Used): Tables => {
  const prepare = createPrepare(() => used().db)
  return {
    prepare: sql => prepare(sql),
    transaction:
      work =>
      (...given) =>
        used().transaction.write(() => work(...given)),
    commit: () => used().transaction.commit(),
    mustBeWhole: () => used().transaction.mustBeWhole(),
    rollBack: () => used().transaction.rollBack(),
    isCopying: () => used().checkpoints.isCopying(),
    exec: sql => void used().db.exec(sql),
    pragma: (text, options) => used().db.pragma(text, options),
  }
}

/** `open` opens the existing file. `make` replaces that file by an empty one. */
export const renewable = (
  open: () => Database.Database,
  make: () => Database.Database,
  checkpoints: Checkpoints = none,
  rewriting?: () => Rewriting,
): ReadStore => {
  let db = open()
  const transaction = openTransaction(() => db, checkpoints)
  const used = (): Used => ({ db, transaction, checkpoints })

  let isClosing = false
  const mustBeOpen = (): void => {
    if (isClosing) throw new Error('the database closes')
  }

  const copyWith = async (rewriting: () => Rewriting): Promise<Copy> => {
    mustBeOpen()
    const { open: openCopy, ...files } = rewriting()
    await files.make()
    if (isClosing) files.discard()
    mustBeOpen()
    let copy: Database.Database | undefined = openCopy()
    const own = openTransaction(() => copy ?? db, none)
    const tables = tablesOf(() =>
      copy === undefined ? used() : { db: copy, transaction: own, checkpoints: none },
    )
    return {
      store: { ...store, ...tables },
      sync: files.sync,
      async release() {
        // `replace` closes the last connection, which copies what is left in the WAL. So little may be left.
        files.hold()
        db.pragma('shrink_memory')
        await checkpoints.release(true)
      },
      replace() {
        transaction.rollBack()
        own.commit()
        copy?.close()
        copy = undefined
        try {
          // Nobody reads the old file again, so what its WAL has need not be made durable.
          db.pragma('synchronous = OFF')
          files.replace(() => db.close())
        } finally {
          if (!db.open) db = open()
        }
      },
      settle: files.settle,
      discard() {
        copy?.close()
        copy = undefined
        files.discard()
      },
    }
  }

  const store: ReadStore = {
    ...tablesOf(used),
    copy: async () => (rewriting === undefined ? undefined : copyWith(rewriting)),
    async renew() {
      // The last connection of a database removes the WAL by name when it closes. So the checkpoint thread must close
      // its connection before the new file is there: it would otherwise remove the WAL of the new file.
      await checkpoints.release()
      transaction.rollBack()
      db.close()
      db = make()
    },
    isOpen: () => db.open && !isClosing,
    async close() {
      isClosing = true // from now on no copy takes the place of this file
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
  return store
}
