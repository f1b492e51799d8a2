// Destroys the payloads and salts of erased events, and every trace of them in the files of the log: free space is
// overwritten (`secure_delete`), the WAL is emptied, and copies that SQLite has left behind in pages are wiped. All of
// this is done in small pieces, since commits wait for each of them.
import type Database from 'better-sqlite3'
import { erasablePrefixes, erasedPartsOf } from '../../../contract/erased-range.ts'
import type { Destroyed, ErasureCursor, PackedBatch, Row, Wiped } from '../../store.ts'
import { createWalPages } from '../wal-pages.ts'
import { pagesIn, wipePages } from './wiped-pages.ts'

/** At most this many events lose their payloads in one commit, since other commits wait for this commit. */
const eventsAtOnce = 500
/** At most this many pages are wiped before other commits. */
const pagesAtOnce = 1000

type Stream = { stream_no: number; first: number; last: number }

/** Throws when events name streams that may not be erased. */
export const mustBeErasable = (erasures: PackedBatch['erasures']): void => {
  for (const { erased } of erasures)
    for (const stream of erased.streams)
      if (!erasablePrefixes.some(prefix => stream.startsWith(prefix)))
        throw new Error('the log erases only events of users')
}

/** Returns a function that notes in the table `erased` what the event PayloadsErased at a position covers. */
const createNote = (db: Database.Database) => {
  const event = db.prepare<[number], Pick<Row, 'position' | 'header' | 'payload'>>(
    'SELECT position, header, payload FROM events WHERE position = ?',
  )
  const insert = db.prepare(
    `INSERT INTO erased (stream_no, first, last, erased_by) SELECT no, ?, ?, ? FROM streams WHERE id = ?
     ON CONFLICT DO NOTHING`,
  )
  return (by: number): void => {
    const row = event.get(by)
    if (row === undefined) return
    for (const [stream, { from, to }] of erasedPartsOf(row)) insert.run(from, to, by, stream)
  }
}

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
  const note = createNote(db)
  const pagesInWal = createWalPages(db.name)
  /** Pages that may hold copies of what was destroyed. `behind`: all pages from this one on, too. */
  const unwiped = new Set<number>()
  let behind = Number.POSITIVE_INFINITY
  let events = 0

  const some = db.transaction((by: number, after: ErasureCursor | undefined): ErasureCursor | undefined => {
    if (after === undefined) note(by)
    let from = after ?? { streamNo: 0, revision: -1 }
    for (events = 0; events < eventsAtOnce; ) {
      const stream = nextStream.get(by, from.streamNo)
      if (stream === undefined) return undefined
      const { stream_no: streamNo, first, last } = stream
      const revision = streamNo === from.streamNo ? from.revision : -1
      const rows = left.all(streamNo, revision, first, last, eventsAtOnce - events)
      for (const { position } of rows) {
        clear.run(position)
        dropPieces.run(position)
      }
      events += rows.length
      const end = rows.at(-1)
      from =
        end === undefined ? { streamNo: streamNo + 1, revision: -1 } : { streamNo, revision: end.revision }
    }
    return from
  })
  /** Does not wait for readers, since commits would wait, too. */
  const empty = (): boolean => {
    const patience = db.pragma('busy_timeout', { simple: true }) as number
    db.pragma('busy_timeout = 0')
    try {
      const [done] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
      return done?.busy === 0
    } finally {
      emptied()
      db.pragma(`busy_timeout = ${patience}`)
    }
  }

  return {
    note: db.transaction(note).immediate,
    destroy(by: number, after: ErasureCursor | undefined): Destroyed {
      const next = some.immediate(by, after)
      for (const page of pagesInWal()) unwiped.add(page)
      return { next, events }
    },
    /**
     * Wipes some pages: none of them has a trace then. `isAll`: all pages of the file must be wiped, not only those that
     * `destroy` has changed.
     */
    wipe(isAll: boolean): Wiped {
      if (isAll) behind = 1
      // Pages in memory have the copies, too. A commit that changes such a page would bring them back, so from here on
      // no page that is still to be wiped may be in memory or in the WAL.
      if (!empty()) return 'held'
      db.pragma('shrink_memory')
      const end = pagesIn(db.name)
      const pages: number[] = []
      for (; behind <= end && pages.length < pagesAtOnce; behind++) pages.push(behind)
      for (const page of unwiped) {
        if (pages.length >= pagesAtOnce) break
        pages.push(page)
        unwiped.delete(page)
      }
      wipePages(db.name, pages)
      return behind <= end || unwiped.size > 0 ? 'some' : 'done'
    },
  }
}
export type Destroyer = ReturnType<typeof createDestroyer>
