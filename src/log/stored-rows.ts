// Reads the rows of a log file as they are stored, in the order of their positions, to verify or export the log. A
// server may write meanwhile. Damaged rows are returned like all others.
import type Database from 'better-sqlite3'
import { isLong, type StoredTexts } from './fits.ts'
import { longPayloadsOf } from './long-text.ts'
import { pageOf, readable } from './reading.ts'
import { inHeader } from './schema.ts'
import { identify } from './sqlite-checks.ts'
import { openForReading } from './sqlite-file.ts'

/** `stream` is null when the row names a stream that the file does not have. */
export type StoredRow = StoredTexts & { position: number; streamNo: number }

// A damaged file may give null where the table allows no null.
type Text = string | null
type Columns = [number, number, number, Text, Text, Text, Text, stream?: Text]
const rowOf = (
  [position, streamNo, revision, header, payload, salt, leaf, joined = null]: Columns,
  stream = joined,
): StoredRow => ({
  position,
  streamNo,
  stream,
  revision,
  header: header ?? '',
  payload,
  salt,
  leaf: leaf ?? '',
})

export type StoredRows = {
  logId(): string
  /** The last position; 0 for an empty log. */
  head(): number
  /**
   * The rows after a position, up to the position `end`. Ends early when all positions of one page have no row.
   * Throws DamagedEvent for a row that cannot be read.
   */
  pages(after: number, end: number): Generator<StoredRow[]>
  /** The rows of one stream by revision. Throws errors of SQLite when the file is damaged. */
  ofStream(stream: string): Generator<StoredRow>
  /**
   * The first event of each stream of this owner or of this session, in order of creation. An index finds them. Throws
   * errors of SQLite when the file is damaged.
   */
  beginningsOf(name: 'owner' | 'session_id', value: string): Generator<StoredRow>
  /** The position of the last event of a stream; 0: there is no such stream. */
  endOf(stream: string): number
  /** The first stream that has no event; undefined: each stream has one. */
  emptyStream(): string | undefined
  /** Says what SQLite finds wrong with the file or with its indexes. This reads the whole file. */
  fileFault(): string | undefined
  close(): void
}

/** The largest number of rows on one page of a stream. */
const streamRows = 1000
/** The largest number of rows on one page of the log. A page is read at once, which takes less time than row by row. */
const pageRows = 250
/**
 * Rows are read in order, so each page of the file is needed only once. A small cache is faster, since the processor
 * keeps it in its own cache.
 */
const cacheKiB = 512
const columns = 'e.position, e.stream_no, e.revision, e.header, e.payload, e.salt, e.leaf'

function* rowsOf(found: Iterable<Columns>): Generator<StoredRow> {
  for (const columns of found) yield rowOf(columns)
}

/** Divides rows into pages, so that only the last row of a page can have a long payload. `whole` reads the payload. */
function* endingWithLong(rows: StoredRow[], whole: (row: StoredRow) => StoredRow) {
  if (!rows.some(isLong)) {
    yield rows
    return
  }
  let page: StoredRow[] = []
  for (const row of rows) {
    page.push(whole(row))
    if (!isLong(row)) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/**
 * Reads page after page. `placeOf`: returns the place of a row; the next page begins after the place of the last row.
 */
function* paged(
  read: (after: number) => Iterable<Columns>,
  first: number,
  placeOf: (row: StoredRow) => number,
): Generator<StoredRow> {
  for (let rows: StoredRow[] = []; ; ) {
    const last = rows.at(-1)
    rows = pageOf(rowsOf(read(last === undefined ? first : placeOf(last))))
    if (rows.length === 0) return
    yield* rows
  }
}

/** The largest number of names of streams that are kept. */
const maxNames = 10_000

/** Reads the name of a stream by its number. Reading it once for many events takes less time than a join. */
const nameReader = (db: Database.Database) => {
  const name = db.prepare<[number], string>('SELECT id FROM streams WHERE no = ?').pluck()
  const names = new Map<number, Text>()
  return (no: number): Text => {
    const known = names.get(no)
    if (known !== undefined) return known
    const found = name.get(no) ?? null
    if (names.size >= maxNames) names.clear()
    names.set(no, found)
    return found
  }
}

/** Throws CannotStart. */
export const openStoredRows = (path: string): StoredRows => {
  const db = openForReading(path)
  db.pragma(`cache_size = -${cacheKiB}`)
  identify(db, path)
  const logId = db.prepare<[], string>("SELECT value FROM facts WHERE key = 'log_id'").pluck()
  const head = db.prepare<[], number>('SELECT coalesce(max(position), 0) FROM events').pluck()
  const page = db
    .prepare<[number, number, number], Columns>(
      `SELECT ${columns} FROM events e WHERE e.position > ? AND e.position <= ? ORDER BY e.position LIMIT ?`,
    )
    .raw()
  const nameOf = nameReader(db)
  const named = (columns: Columns): StoredRow => rowOf(columns, nameOf(columns[1]))
  /** Reads rows and their names in one transaction, since SQLite locks the file once for each transaction. */
  const namedPage = db.transaction((after: number, end: number, limit: number): StoredRow[] =>
    page.all(after, end, limit).map(named),
  )
  const streamPage = db
    .prepare<[string, number, number], Columns>(
      `SELECT ${columns}, s.id FROM streams s JOIN events e ON e.stream_no = s.no
       WHERE s.id = ? AND e.revision > ? ORDER BY e.revision LIMIT ?`,
    )
    .raw()
  const beginningsOf = (name: 'owner' | 'session_id') =>
    db
      .prepare<[string, number, number], Columns>(
        `SELECT ${columns}, s.id FROM events e LEFT JOIN streams s ON s.no = e.stream_no
         WHERE e.revision = 0 AND ${inHeader(name)} = ? AND e.stream_no > ? ORDER BY e.stream_no LIMIT ?`,
      )
      .raw()
  const beginnings = { owner: beginningsOf('owner'), session_id: beginningsOf('session_id') }
  const endOf = db
    .prepare<[string], number>(
      'SELECT coalesce(max(position), 0) FROM events WHERE stream_no = (SELECT no FROM streams WHERE id = ?)',
    )
    .pluck()
  const empty = db
    .prepare<[], string>(
      'SELECT id FROM streams s WHERE NOT EXISTS (SELECT 1 FROM events WHERE stream_no = s.no) LIMIT 1',
    )
    .pluck()

  const long = longPayloadsOf(db)
  /** The row with its payload, also when the payload is long. */
  const whole = (row: StoredRow): StoredRow =>
    isLong(row) ? { ...row, payload: long.textOf(row.position) ?? null } : row

  return {
    logId: () => logId.get() ?? '',
    head: () => head.get() ?? 0,
    *pages(after, end) {
      for (let from = after; from < end; from += pageRows) {
        const last = Math.min(end, from + pageRows)
        const rows = readable(limit => namedPage(from, last, limit), from + 1)
        if (rows.length === 0) return
        yield* endingWithLong(rows, whole)
      }
    },
    *ofStream(stream) {
      const read = (after: number) => streamPage.iterate(stream, after, streamRows)
      for (const row of paged(read, -1, ({ revision }) => revision)) yield whole(row)
    },
    *beginningsOf(name, value) {
      const read = (after: number) => beginnings[name].iterate(value, after, streamRows)
      for (const row of paged(read, 0, ({ streamNo }) => streamNo)) yield whole(row)
    },
    endOf: stream => endOf.get(stream) ?? 0,
    emptyStream: () => empty.get(),
    fileFault() {
      const found = db.prepare<[], string>('PRAGMA integrity_check(1)').pluck().get()
      return found === 'ok' ? undefined : found
    },
    close: () => void db.close(),
  }
}
