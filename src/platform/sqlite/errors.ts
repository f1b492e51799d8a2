// What SQLite says with the codes of its errors. Other files ask here, and read no code of SQLite themselves.

/**
 * `damaged`: the content of the file is not that of a database. `failing`: the disk fails. `closed`: the system does not
 * let SQLite open or change the file.
 */
export type Result = 'damaged' | 'locked' | 'full' | 'failing' | 'no-memory' | 'closed' | 'other'

const results: readonly [RegExp, Result][] = [
  [/^SQLITE_(CORRUPT|NOTADB)/, 'damaged'],
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
  [/^SQLITE_FULL/, 'full'],
  [/^SQLITE_IOERR/, 'failing'],
  [/^SQLITE_NOMEM/, 'no-memory'],
  [/^SQLITE_(CANTOPEN|READONLY|PERM|AUTH)/, 'closed'],
  [/^SQLITE_/, 'other'],
]

const codeOf = (error: unknown): string =>
  String((error as { code?: unknown } | null | undefined)?.code ?? '')

/** What an error of SQLite says. Undefined: SQLite did not throw the error. */
export const resultOf = (error: unknown): Result | undefined =>
  results.find(([codes]) => codes.test(codeOf(error)))?.[1]

/** The most characters of an error of SQLite that a line shows. */
const longest = 80

/** The words of an error for a line that people read. SQLite quotes what it has read, and in a damaged file that is anything. */
export const lineOf = (error: unknown): string => {
  const words = error instanceof Error ? error.message : String(error)
  if (resultOf(error) === undefined) return words
  const plain = words.replace(/[^ -~]+/g, '?')
  return plain.length > longest ? `${plain.slice(0, longest - 1)}…` : plain
}

/** The content of a database is not as it was written. It has the code that SQLite gives such a finding of its own. */
export class Damaged extends Error {
  readonly code = 'SQLITE_CORRUPT'
}

/** Whether SQLite could not have a lock, because another connection has one. */
export const isBusy = (error: unknown): boolean => resultOf(error) === 'locked'

/**
 * Whether an error says that SQLite found its file damaged or cannot read it. A failure to write, sync or extend the
 * file does not count: a full disk causes such failures, and the file then stays as it was.
 */
export const isCorrupt = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB|PROTOCOL|CANTOPEN|IOERR$|IOERR_(READ|SHORT_READ|CORRUPTFS|DATA|FSTAT|IN_PAGE|SEEK|VNODE))/.test(
    codeOf(error),
  )

/** Whether SQLite did not understand a statement: the file lacks a table, for example. */
export const isMisunderstood = (error: unknown): boolean => /^SQLITE_ERROR/.test(codeOf(error))
