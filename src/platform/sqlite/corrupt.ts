/**
 * Whether SQLite found the file damaged or cannot read it. A failure to write, sync or extend it does not count: that
 * is how a full disk fails, and the file stays as it was.
 */
export const isCorrupt = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB|PROTOCOL|CANTOPEN|IOERR$|IOERR_(READ|SHORT_READ|CORRUPTFS|DATA|FSTAT|IN_PAGE|SEEK|VNODE))/.test(
    (error as { code?: string }).code ?? '',
  )
