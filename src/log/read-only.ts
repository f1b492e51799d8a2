// Opens a log file for reading, whether a server writes the file meanwhile or not. Nothing in the file can be changed.
import Database from 'better-sqlite3'
import { DamagedEvent, type Log } from '../contract/stored.ts'
import { openPayload } from './decode.ts'
import { createPages, createReading } from './reading.ts'
import { createSessionReading } from './session-reading.ts'
import { mustBePlain } from './sqlite-checks.ts'
import { openForReading } from './sqlite-file.ts'
import { sqliteReader } from './sqlite-reader.ts'
import type { Store } from './store.ts'
import { createSubscriptions, type Subscribe } from './subscriptions.ts'

export type ReadOnlyLog = Log & {
  id: string
  /** The id of every stream, in order of creation, also of streams that are created meanwhile. */
  streams(): Iterable<string>
  /** The first position up to `end` that has no event; undefined: every position has one. */
  firstHole(end: number): number | undefined
  /** Hands over past events, then new ones: the file is checked for new events every 100 ms until `close`. */
  subscribe: Subscribe
  close(): Promise<void>
}

/** The number of streams in one read of `streams`. */
const pageStreams = 1000
/** Milliseconds between two checks for new events, while a reader follows the log. */
const lookMs = 100

/** Opens any of our SQLite files for reading only. Throws CannotStart when the path leads to a folder or a device. */
export const openFileReadOnly = (path: string): Database.Database => {
  mustBePlain(path)
  return new Database(path, { readonly: true, fileMustExist: true })
}

/** Opens a log for reading. Its head moves when another process appends. Throws CannotStart. */
export const openLogReadOnly = (path: string): ReadOnlyLog => {
  const db = openForReading(path)
  const found = sqliteReader(path)
  /** Opens long payloads in this thread, since this process only reads, and no other caller waits for it. */
  const openLong: Store['openLong'] = async (position, salt) => {
    const text = found.longPayload(position)
    if (text === undefined) throw new DamagedEvent(position, 'has no payload')
    return openPayload(position, salt, text)
  }
  const reader = { ...found, openLong }
  const inStreams = 'FROM events e JOIN streams s ON s.no = e.stream_no WHERE e.position <= ?'
  const newest = db.prepare<[], number>('SELECT coalesce(max(position), 0) FROM events').pluck()
  const head = () => newest.get() ?? 0
  const page = db.prepare<[number, number], { no: number; id: string }>(
    'SELECT no, id FROM streams WHERE no > ? ORDER BY no LIMIT ?',
  )
  const count = db.prepare<[number], number>(`SELECT count(*) ${inStreams}`).pluck()
  const hole = db
    .prepare<[number], number>(
      `SELECT n FROM (SELECT position, row_number() OVER (ORDER BY position) AS n ${inStreams})
       WHERE position <> n LIMIT 1`,
    )
    .pluck()
  const never = () => Promise.reject(new Error('the log was opened for reading'))

  const pages = createPages(reader, head)
  const subscriptions = createSubscriptions(pages, head)
  let looking: NodeJS.Timeout | undefined

  return {
    ...createReading(reader, head, pages),
    ...createSessionReading(reader, head),
    subscribe(request, handle) {
      looking ??= setInterval(subscriptions.lookAgain, lookMs)
      return subscriptions.subscribe(request, handle)
    },
    append: never,
    complete: async () => {},
    revisionOf: stream => reader.headOf(stream)?.revision ?? -1,
    head,
    leafAt: reader.leafAt,
    id: reader.logId(),
    *streams() {
      for (let after = 0; ; ) {
        const streams = page.all(after, pageStreams)
        for (const { id } of streams) yield id
        if (streams.length < pageStreams) return
        after = streams.at(-1)?.no ?? after
      }
    },
    // The count comes first, since it needs only an index.
    firstHole: end => ((count.get(end) ?? 0) === end ? undefined : (hole.get(end) ?? end)),
    async close() {
      clearInterval(looking)
      await reader.close()
      db.close()
    },
  }
}
