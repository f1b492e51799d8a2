import Sqlite from '../../src/platform/sqlite/library.ts'

/** The error for rows that were written, and that a failure took back before they were committed. */
export const takenBack = (): Error =>
  new Sqlite.SqliteError(
    'rows of the read models were taken back before their commit',
    'SQLITE_ABORT_ROLLBACK',
  )
