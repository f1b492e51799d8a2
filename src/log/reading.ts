// Reads the log in pages. The hashes and the place of every event are checked, so that a damaged event is neither
// skipped nor shown.
import { DamagedEvent, type Log, type Recorded } from '../contract/stored.ts'
import { isCorrupt } from '../platform/sqlite/corrupt.ts'
import { decode } from './decode.ts'
import type { Row, Store } from './store.ts'

/** The most events of one page. */
const pageEvents = 1000
/** A page ends early at this many characters, since a page is held in memory and handled in one turn. */
const pageChars = 1024 * 1024

/** Takes the rows of one page from an iterator, and reads no row after them. */
export const pageOf = <Row extends { header: string; payload: string | null }>(
  rows: Iterable<Row>,
): Row[] => {
  const page: Row[] = []
  let chars = 0
  for (const row of rows) {
    page.push(row)
    chars += row.header.length + (row.payload?.length ?? 0)
    if (chars >= pageChars) break
  }
  return page
}

/** Lets the event loop turn between two pages of a long read. */
const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Functions that read one page, synchronously. They throw DamagedEvent. */
export type Pages = {
  /** All events after a position. Some may be stored although their callers are not answered yet. */
  page(after: number): Recorded[]
  /**
   * The events of one stream after a revision. `isLast`: nothing follows. `near`: the position that the error names
   * when the file cannot be read.
   */
  streamPage(stream: string, after: number, near?: number): { events: Recorded[]; isLast: boolean }
}

/** `head` is the last position that is durable. */
export const createPages = (store: Pick<Store, 'streamPage' | 'page'>, head: () => number): Pages => ({
  page(after) {
    const end = head()
    const rows = readable(limit => store.page(after, limit), after + 1)
    if (rows.length === 0 && after < end) throw new DamagedEvent(after + 1, 'is missing')
    let from = after
    for (const { position } of rows) if (position !== ++from) throw new DamagedEvent(from, 'is missing')
    return taken(rows)
  },
  streamPage(stream, after, near = head()) {
    const rows = readable(limit => store.streamPage(stream, after, limit), near)
    let from = after
    for (const row of rows) {
      if (row.revision !== ++from)
        throw new DamagedEvent(row.position, `is not revision ${from} of ${stream}`)
    }
    const isLast = rows.length === 0 || isLastPage(rows)
    return { events: taken(rows), isLast }
  },
})

export const createReading = (
  store: Pick<Store, 'streamPage' | 'page' | 'lastOf'>,
  head: () => number,
  { page, streamPage }: Pages = createPages(store, head),
): Pick<Log, 'readStream' | 'streamPages' | 'readAll' | 'firstOf' | 'lastOf'> => {
  function* streamPages(stream: string, after = -1) {
    for (let [from, near] = [after, head()]; ; ) {
      const { events, isLast } = streamPage(stream, from, near)
      const last = events.at(-1)
      if (last === undefined) return
      from = last.header.revision
      near = last.position + 1
      yield events
      if (isLast) return
    }
  }
  return {
    streamPages,
    async *readStream(stream: string, after = -1) {
      let isFirst = true
      for (const page of streamPages(stream, after)) {
        if (!isFirst) await nextTurn()
        isFirst = false
        yield page
      }
    },
    async *readAll(after = 0) {
      for (let from = after; ; ) {
        const events = page(from)
        const last = events.at(-1)
        if (last === undefined) return
        from = last.position
        yield events
        await nextTurn()
      }
    },
    async firstOf(stream: string) {
      const [row] = readable(() => store.streamPage(stream, -1, 1), head())
      if (row !== undefined && row.revision !== 0)
        throw new DamagedEvent(row.position, `is not revision 0 of ${stream}`)
      return row === undefined ? undefined : decode(row)
    },
    async lastOf(stream: string) {
      const [row] = readable(() => [store.lastOf(stream) ?? []].flat(), head())
      return row === undefined ? undefined : decode(row)
    },
  }
}

const charsOf = (rows: Row[]): number =>
  rows.reduce((sum, { header, payload }) => sum + header.length + (payload?.length ?? 0), 0)
/** The events of these rows. Empties the list of rows, since their texts may be long. */
const taken = (rows: Row[]): Recorded[] => {
  const events = rows.map(row => decode(row))
  rows.length = 0
  return events
}
/** Whether a page was not full, so that nothing follows it. */
const isLastPage = (rows: Row[]): boolean => rows.length < pageEvents && charsOf(rows) < pageChars

/**
 * Turns an error of SQLite about a broken file into DamagedEvent, the error that a wrong hash gives. `first`: the
 * position where the reading began.
 */
const readable = (read: (limit: number) => Row[], first: number): Row[] => {
  try {
    return read(pageEvents)
  } catch (error) {
    if (!isCorrupt(error)) throw error
    throw new DamagedEvent(firstUnreadable(read, first), 'cannot be read from the file')
  }
}

/** Finds the position of the broken row: reads one row more each time, until reading fails. */
const firstUnreadable = (read: (limit: number) => Row[], first: number): number => {
  let position = first
  for (let limit = 1; limit <= pageEvents; limit++) {
    try {
      position = (read(limit).at(-1)?.position ?? position - 1) + 1
    } catch {
      return position
    }
  }
  return position
}
