/** The content of a database is not as it was written. It has the code that SQLite gives such a finding of its own. */
export class Damaged extends Error {
  readonly code = 'SQLITE_CORRUPT'
}

/**
 * Whether an error says that SQLite found its file damaged or cannot read it. A failure to write, sync or extend the
 * file does not count: a full disk causes such failures, and the file then stays as it was.
 */
export const isCorrupt = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB|PROTOCOL|CANTOPEN|IOERR$|IOERR_(READ|SHORT_READ|CORRUPTFS|DATA|FSTAT|IN_PAGE|SEEK|VNODE))/.test(
    (error as { code?: string }).code ?? '',
  )
