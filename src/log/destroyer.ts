// Destroys the payloads and salts of erased events, and every trace of them in the files of the log: free space is
// overwritten (`secure_delete`), the WAL is emptied, and copies that SQLite has left behind in pages are wiped.
import type Database from 'better-sqlite3'
import type { Destroyed, ErasureCursor, PackedBatch } from './store.ts'
import { pagesInWal } from './wal.ts'
import { wipePages } from './wiped-pages.ts'

/** At most this many events lose their payloads in one commit, since other commits wait for this commit. */
const eventsAtOnce = 1000

type Stream = { stream_no: number; first: number; last: number }

/** `emptied`: called after each attempt to empty the WAL. */
export const createDestroyer = (db: Database.Database, emptied: () => void) => {
  const nextStream = db.prepare<[number, number], Stream>(
    `SELECT stream_no, first, last FROM erased WHERE erased_by = ? AND stream_no >= ? ORDER BY stream_no LIMIT 1`,
  )
  const left = db.prepare<[number, number, number, number, number], { position: number; revision: number }>(
    `SELECT position, revision FROM events WHERE stream_no = ? AND revision > ? AND position BETWEEN ? AND ?
     ORDER BY revision LIMIT ?`,
  )
  const clear = db.prepare('UPDATE events SET payload = NULL, salt = NULL WHERE position = ?')
  const dropPieces = db.prepare(
    'DELETE FROM pieces WHERE payload = (SELECT no FROM long_payloads WHERE position = ?)',
  )
  /** Pages that may hold copies of what was destroyed. */
  let unwiped: Set<number> | 'all' = new Set()

  const some = db.transaction((by: number, after: ErasureCursor | undefined): ErasureCursor | undefined => {
    let from = after ?? { streamNo: 0, revision: -1 }
    for (let count = 0; count < eventsAtOnce; ) {
      const stream = nextStream.get(by, from.streamNo)
      if (stream === undefined) return undefined
      const { stream_no: streamNo, first, last } = stream
      const revision = streamNo === from.streamNo ? from.revision : -1
      const rows = left.all(streamNo, revision, first, last, eventsAtOnce - count)
      for (const { position } of rows) {
        clear.run(position)
        dropPieces.run(position)
      }
      count += rows.length
      const end = rows.at(-1)
      from =
        end === undefined ? { streamNo: streamNo + 1, revision: -1 } : { streamNo, revision: end.revision }
    }
    return from
  })
  const empty = (): boolean => {
    const [done] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
    emptied()
    return done?.busy === 0
  }
  /** Returns whether no trace is left. Traces stay while a reader needs the WAL. `all`: wipes all pages of the file. */
  const wipe = (all: boolean): boolean => {
    if (all) unwiped = 'all'
    if (!empty()) return false
    if (unwiped !== 'all' && unwiped.size === 0) return true
    db.pragma('shrink_memory') // the pages in memory have the copies, too
    wipePages(db.name, unwiped)
    unwiped = new Set()
    return true
  }

  const insert = db.prepare(
    'INSERT INTO erased (stream_no, first, last, erased_by) SELECT no, ?, ?, ? FROM streams WHERE id = ?',
  )

  return {
    /** Notes what stored events erase, in the transaction that stores these events. */
    note(erasures: PackedBatch['erasures']): void {
      for (const { position, erased } of erasures)
        for (const stream of erased.streams) insert.run(erased.from, erased.to, position, stream)
    },
    destroy(by: number, after: ErasureCursor | undefined): Destroyed {
      empty() // the WAL then has only the pages that change now
      const next = some.immediate(by, after)
      if (unwiped !== 'all') for (const page of pagesInWal(db.name)) unwiped.add(page)
      return { next, isGone: wipe(false) }
    },
    wipe,
  }
}
export type Destroyer = ReturnType<typeof createDestroyer>
