// The rows of a log by columns, for baselines that write or read the same bytes as the log.
import Database from 'better-sqlite3'
import type { RawRow } from '../baselines/raw-insert.ts'

const enough = 16_384

export const rawRows = (file: string): RawRow[] => {
  const db = new Database(file, { readonly: true })
  const rows = db
    .prepare<[number], RawRow>(
      'SELECT stream_no, revision, header, payload, salt, leaf FROM events ORDER BY position LIMIT ?',
    )
    .raw()
    .all(enough)
  db.close()
  return rows
}
