// A recorded log as a log file: written by the store's own write path, so that what stands in the file is what the
// build that recorded it wrote, hashes included.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { sqliteStore } from '../../src/log/file/sqlite-store.ts'
import type { Row, Store } from '../../src/log/store.ts'
import type { StoredRow } from './files.ts'

/** A header without its digest, as the log hands it to the store. */
const openHeader = (header: string): string => header.slice(0, header.lastIndexOf(',"digest":"'))

/** All rows of a log. A page of a store ends early when its texts are long. */
export const allRows = (store: Pick<Store, 'page'>): Row[] => {
  const rows: Row[] = []
  for (;;) {
    const page = store.page(rows.length, 1000)
    if (page.length === 0) return rows
    rows.push(...page)
  }
}

/** Makes `log.db` of a data folder from these rows; the answer: the rows as the file gives them back. */
export const loadLog = async (dataDir: string, rows: StoredRow[]): Promise<Row[]> => {
  mkdirSync(dataDir, { recursive: true })
  const store = sqliteStore(path.join(dataDir, 'log.db'), () => 'log_recorded')
  const numbers = new Map<string, number>()
  const newStreams: { no: number; id: string }[] = []
  for (const { stream } of rows) {
    if (numbers.has(stream)) continue
    numbers.set(stream, numbers.size + 1)
    newStreams.push({ no: numbers.size, id: stream })
  }
  await store.write({
    first: 1,
    streamNos: rows.map(({ stream }) => numbers.get(stream) ?? 0),
    revisions: rows.map(({ revision }) => revision),
    texts: rows.flatMap(({ header, payload, salt }) => [openHeader(header), payload, salt ?? '']),
    newStreams,
    long: [],
    erasures: [],
  })
  const found = allRows(store)
  await store.close()
  return found
}
