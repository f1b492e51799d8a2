// The cheapest possible way to read a whole log, as a baseline: it reads every row and parses its two texts.
import Database from 'better-sqlite3'

const pageSize = 1000

/** Reads and parses all rows. Returns their number. */
export const scanAndParse = (file: string): number => {
  const db = new Database(file, { readonly: true })
  db.pragma('mmap_size = 2147483648')
  const page = db
    .prepare<[number, number], [number, string, string]>(
      'SELECT position, header, payload FROM events WHERE position > ? ORDER BY position LIMIT ?',
    )
    .raw()
  let seen = 0
  for (let from = 0; ; ) {
    const rows = page.all(from, pageSize)
    if (rows.length === 0) break
    for (const [position, header, payload] of rows) {
      const parsed = [JSON.parse(header), JSON.parse(payload)]
      seen += parsed.length / 2
      from = position
    }
  }
  db.close()
  return seen
}
