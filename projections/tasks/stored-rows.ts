// The SQL that reads the texts of a task, whole or in parts, and the sizes and checksums of these texts.
import type { ReadStore } from '../store.ts'

export type Stored = { bytes: Buffer; sum: number }

/**
 * The number of an item, the size of its text in bytes, its checksum, and 1 if it is long. Only the log has the text of
 * a long item.
 */
export type ItemPlace = [n: number, size: number, sum: number, isLong: 0 | 1]

export const createStoredRows = (store: ReadStore) => {
  const fieldsAt = store.prepare<[number], { fields: string; sum: number }>(
    'SELECT fields, sum FROM tasks WHERE position = ?',
  )
  const idAt = store.prepare<[number], string>('SELECT id FROM tasks WHERE position = ?').pluck()
  const bodies = store.prepare<[number], { body: string | null; sum: number }>(
    'SELECT body, sum FROM items WHERE task = ? ORDER BY n',
  )
  const sizeAt = store
    .prepare<[number, number], number>(
      `SELECT octet_length(fields) + (SELECT coalesce(sum(coalesce(octet_length(body), length) + 1), 0) FROM items WHERE task = ?)
       FROM tasks WHERE position = ?`,
    )
    .pluck()
  const summaryAt = store.prepare<[number], { summary: string; summary_sum: number }>(
    'SELECT summary, summary_sum FROM tasks WHERE position = ?',
  )
  const fieldsPlace = store.prepare<[number], { size: number; sum: number; ended: number }>(
    'SELECT octet_length(fields) AS size, sum, ended_at IS NOT NULL AS ended FROM tasks WHERE position = ?',
  )
  const itemPlaces = store
    .prepare<[number], ItemPlace>(
      `SELECT n, coalesce(octet_length(body), length), sum, body IS NULL FROM items WHERE task = ? ORDER BY n`,
    )
    .raw()
  /** Items in progress. The text of an item has the status near its beginning, so only that part is searched. */
  const openItems = store.prepare<[number], { n: number } & Stored>(
    `SELECT n, CAST(body AS BLOB) AS bytes, sum FROM items
     WHERE task = ? AND instr(substr(body, 1, 2000), '"status":"in_progress"') > 0`,
  )
  const fieldsPart = store.prepare<[number, number, number], Stored>(
    'SELECT substr(CAST(fields AS BLOB), ?, ?) AS bytes, sum FROM tasks WHERE position = ?',
  )
  const itemPart = store.prepare<[number, number, number, number], Stored>(
    'SELECT substr(CAST(body AS BLOB), ?, ?) AS bytes, sum FROM items WHERE task = ? AND n = ?',
  )
  const itemRun = store.prepare<[number, number, number], Stored>(
    'SELECT CAST(body AS BLOB) AS bytes, sum FROM items WHERE task = ? AND n >= ? AND n <= ? ORDER BY n',
  )
  return {
    idAt,
    fieldsAt,
    bodies,
    sizeAt,
    summaryAt,
    fieldsPlace,
    itemPlaces,
    openItems,
    fieldsPart,
    itemPart,
    itemRun,
  }
}
export type StoredRows = ReturnType<typeof createStoredRows>
