import Database from 'better-sqlite3'

/** The error for rows that were written, and that a failure took back before they were committed. */
export const takenBack = (): Error =>
  new Database.SqliteError(
    'rows of the read models were taken back before their commit',
    'SQLITE_ABORT_ROLLBACK',
  )
