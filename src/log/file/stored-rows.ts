// Reads the rows of a log file as they are stored, in the order of their positions, to verify or export the log. A
// server may write meanwhile. Damaged rows are returned like all others.
import type Database from 'better-sqlite3'
import { isLong } from '../fits.ts'
import { pageOf, readable } from '../reading.ts'
import type { StoredRow, StoredRows } from '../storage.ts'
import { type Columns, columns, rowOf, rowsOf } from './columns.ts'
import { later, reading } from './in-words.ts'
import { longPayloadsOf } from './long/long-text.ts'
import { inHeader } from './schema.ts'
import { identify } from './sqlite-checks.ts'
import { openForReading } from './sqlite-file.ts'

/** The largest number of rows on one page of a stream. */
const streamRows = 1000
/** The largest number of rows on one page of the log. A page is read at once, which takes less time than row by row. */
const pageRows = 250
/**
 * Rows are read in order, so each page of the file is needed only once. A small cache is faster, since the processor
 * keeps it in its own cache.
 */
const cacheKiB = 512
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
async function* paged(
  read: (after: number) => Iterable<Columns>,
  first: number,
  placeOf: (row: StoredRow) => number,
): AsyncGenerator<StoredRow[]> {
  for (let from = first; ; ) {
    const rows = reading(() => pageOf(rowsOf(read(from))))
    const last = rows.at(-1)
    if (last === undefined) return
    from = placeOf(last)
    yield rows
  }
}

/** The largest number of names of streams that are kept. */
const maxNames = 10_000

/** Reads the name of a stream by its number. Reading it once for many events takes less time than a join. */
const nameReader = (db: Database.Database) => {
  const name = db.prepare<[number], string>('SELECT id FROM streams WHERE no = ?').pluck()
  const names = new Map<number, string | null>()
  return (no: number): string | null => {
    const known = names.get(no)
    if (known !== undefined) return known
    const found = name.get(no) ?? null
    if (names.size >= maxNames) names.clear()
    names.set(no, found)
    return found
  }
}

const rowsIn = (path: string): StoredRows => {
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
    isLong(row) ? { ...row, payload: reading(() => long.textOf(row.position)) ?? null } : row

  /** Long payloads end their pages, so at most one is in memory. */
  async function* wholePages(pages: AsyncGenerator<StoredRow[]>): AsyncGenerator<StoredRow[]> {
    for await (const page of pages) yield page.map(whole)
  }

  return {
    logId: later(() => logId.get() ?? ''),
    head: later(() => head.get() ?? 0),
    async *pages(after, end) {
      for (let from = after; from < end; from += pageRows) {
        const last = Math.min(end, from + pageRows)
        const rows = readable(limit => reading(() => namedPage(from, last, limit)), from + 1)
        if (rows.length === 0) return
        yield* endingWithLong(rows, whole)
      }
    },
    ofStream: stream =>
      wholePages(
        paged(
          after => streamPage.iterate(stream, after, streamRows),
          -1,
          ({ revision }) => revision,
        ),
      ),
    beginningsOf: (name, value) =>
      wholePages(
        paged(
          after => beginnings[name].iterate(value, after, streamRows),
          0,
          ({ streamNo }) => streamNo,
        ),
      ),
    endOf: later(stream => endOf.get(stream) ?? 0),
    emptyStream: later(() => empty.get()),
    fault: later(() => {
      const found = db.prepare<[], string>('PRAGMA integrity_check(1)').pluck().get()
      return found === 'ok' ? undefined : found
    }),
    async close() {
      db.close()
    },
  }
}

/** Throws CannotStart, or Unreadable when a part of the file is missing that only these rows need. */
export const openStoredRows = (path: string): StoredRows => reading(() => rowsIn(path))
