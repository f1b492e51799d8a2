/**
 * What SQLite finds broken or cannot read. What it cannot write, sync or make longer is none: a full disk says so, and the
 * file is as it was.
 */
export const isCorrupt = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB|PROTOCOL|CANTOPEN|IOERR$|IOERR_(READ|SHORT_READ|CORRUPTFS|DATA|FSTAT|IN_PAGE|SEEK|VNODE))/.test(
    (error as { code?: string }).code ?? '',
  )
