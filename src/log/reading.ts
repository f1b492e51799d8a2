// Reads the log in pages. The hashes and the place of every event are checked, so that a damaged event is neither
// skipped nor shown.
import { DamagedEvent, type Log, type Recorded } from '../contract/stored.ts'
import { yieldToLoop } from '../platform/loop.ts'
import { decode, decodeErased } from './decode.ts'
import { isErased, isLong } from './fits.ts'
import { isUnreadable, type Row, type Store } from './store.ts'

/** The largest number of events on one page. */
const pageEvents = 1000
/** A page ends early at this many characters, since a page is held in memory and handled in one turn. */
const pageChars = 1024 * 1024

type Measured = Pick<Row, 'header' | 'payload' | 'salt'>

/**
 * Takes the rows of one page from an iterator, and reads no row after them. A long payload ends the page. An error
 * also ends it, and is thrown when not even the first row can be read.
 */
export const pageOf = <Row extends Measured>(rows: Iterable<Row>): Row[] => {
  const page: Row[] = []
  let chars = 0
  try {
    for (const row of rows) {
      page.push(row)
      chars += charsOf(row)
      if (chars >= pageChars) break
    }
  } catch (error) {
    if (page.length === 0) throw error
  }
  return page
}

const charsOf = (row: Measured): number =>
  isLong(row) ? pageChars : row.header.length + (row.payload?.length ?? 0)

/** Makes a function that takes the rows of one page, and says after each whether the page has room for another one. */
export const roomFor = () => {
  let rows = 0
  let chars = 0
  return (row: Measured): boolean => {
    rows++
    chars += charsOf(row)
    return rows < pageEvents && chars < pageChars
  }
}

/** Functions that read one page, synchronously. They throw DamagedEvent. */
export type Pages = {
  /** The events after a position, up to the size of a page. The callers of the last ones may not be answered yet. */
  page(after: number): Recorded[]
  /**
   * The events of one stream after a revision. `isLast`: nothing follows. `near`: the position that the error names
   * when not even the first event can be read.
   */
  streamPage(stream: string, after: number, near?: number): { events: Recorded[]; isLast: boolean }
}
/** Functions that read the same pages as `Pages`, but open long payloads in another thread. */
export type PatientPages = {
  page(after: number): Promise<Recorded[]>
  streamPage(stream: string, after: number, near?: number): Promise<{ events: Recorded[]; isLast: boolean }>
}
export type Rows = Pick<Store, 'streamPage' | 'page' | 'longPayload' | 'openLong' | 'erasedBy'>

/** Functions that read the rows of one page and check their places. They throw DamagedEvent. */
const rowPages = (store: Rows, head: () => number) => ({
  page(after: number): Row[] {
    const end = head()
    const rows = readable(limit => store.page(after, limit), after + 1)
    if (rows.length === 0 && after < end) throw new DamagedEvent(after + 1, 'is missing')
    let from = after
    for (const { position } of rows) if (position !== ++from) throw new DamagedEvent(from, 'is missing')
    return rows
  },
  streamPage(stream: string, after: number, near = head()): { rows: Row[]; isLast: boolean } {
    const rows = readable(limit => store.streamPage(stream, after, limit), near)
    let from = after
    for (const row of rows) {
      if (row.revision !== ++from)
        throw new DamagedEvent(row.position, `is not revision ${from} of ${stream}`)
    }
    return { rows, isLast: rows.length === 0 || isLastPage(rows) }
  },
})

/** `head` is the last position that is durable. */
export const createPages = (store: Rows, head: () => number): Pages => {
  const { page, streamPage } = rowPages(store, head)
  return {
    page: after => taken(store, page(after)),
    streamPage(stream, after, near) {
      const { rows, isLast } = streamPage(stream, after, near)
      return { events: taken(store, rows), isLast }
    },
  }
}

/** `head` is the last position that is durable. */
export const createPatientPages = (store: Rows, head: () => number): PatientPages => {
  const { page, streamPage } = rowPages(store, head)
  return {
    page: async after => takenPatiently(store, page(after)),
    async streamPage(stream, after, near) {
      const { rows, isLast } = streamPage(stream, after, near)
      return { events: await takenPatiently(store, rows), isLast }
    },
  }
}

export const createReading = (
  store: Rows & Pick<Store, 'lastOf'>,
  head: () => number,
  pages: Pages = createPages(store, head),
): Pick<Log, 'readStream' | 'streamPages' | 'readAll' | 'firstOf' | 'lastOf' | 'lastAt'> => {
  const patient = createPatientPages(store, head)
  const one = async (row: Row | undefined) => row && (await takenPatiently(store, [row]))[0]
  return {
    *streamPages(stream: string, after = -1) {
      for (let [from, near] = [after, head()]; ; ) {
        const { events, isLast } = pages.streamPage(stream, from, near)
        const last = events.at(-1)
        if (last === undefined) return
        from = last.header.revision
        near = last.position + 1
        yield events
        if (isLast) return
      }
    },
    async *readStream(stream: string, after = -1) {
      for (let [from, near] = [after, head()]; ; ) {
        const { events, isLast } = await patient.streamPage(stream, from, near)
        const last = events.at(-1)
        if (last === undefined) return
        from = last.header.revision
        near = last.position + 1
        yield events
        if (isLast) return
        await yieldToLoop()
      }
    },
    async *readAll(after = 0) {
      for (let from = after; ; ) {
        const events = await patient.page(from)
        const last = events.at(-1)
        if (last === undefined) return
        from = last.position
        yield events
        await yieldToLoop()
      }
    },
    async firstOf(stream: string) {
      const [row] = readable(() => store.streamPage(stream, -1, 1), head())
      if (row !== undefined && row.revision !== 0)
        throw new DamagedEvent(row.position, `is not revision 0 of ${stream}`)
      return one(row)
    },
    lastAt(time) {
      let [low, high] = [0, head()]
      while (low < high) {
        const middle = Math.ceil((low + high) / 2)
        const [row] = readable(() => store.page(middle - 1, 1), middle)
        if (row === undefined) throw new DamagedEvent(middle, 'is missing')
        if (Date.parse(eventOf(store, row).header.time) <= time) low = middle
        else high = middle - 1
      }
      return low
    },
    async lastOf(stream: string) {
      const [row] = readable(() => [store.lastOf(stream) ?? []].flat(), head())
      return one(row)
    },
  }
}

/** The event of a row, with its long payload. */
const eventOf = ({ longPayload, erasedBy }: Rows, row: Row): Recorded => {
  if (isErased(row)) return decodeErased(row, erasedBy(row.position))
  return decode(isLong(row) ? { ...row, payload: longPayload(row.position) ?? null } : row)
}
/** The events of these rows. Empties the list of rows, so that texts, which may be long, are not held in memory. */
const taken = (store: Rows, rows: Row[]): Recorded[] => {
  const events = rows.map(row => eventOf(store, row))
  rows.length = 0
  return events
}
/** Does the same as `taken`, but opens a long payload in another thread. */
export const takenPatiently = async (store: Rows, rows: Row[]): Promise<Recorded[]> => {
  const last = rows.at(-1)
  // A long payload ends its page, so only the last row can have one.
  if (last === undefined || !isLong(last)) return taken(store, rows)
  rows.pop()
  const events = taken(store, rows)
  events.push(decode(last, await store.openLong(last.position, last.salt ?? '')))
  return events
}
/** Whether a page was not full, so that nothing follows it. */
const isLastPage = (rows: Row[]): boolean =>
  rows.length < pageEvents && rows.reduce((sum, row) => sum + charsOf(row), 0) < pageChars

/**
 * Turns the error of a store that cannot be read into DamagedEvent, which a wrong hash gives, too. `first`: the position
 * that the error names when not even the first row can be read.
 */
export const readable = <Read extends { position: number }>(
  read: (limit: number) => Read[],
  first: number,
): Read[] => {
  try {
    return read(pageEvents)
  } catch (error) {
    if (!isUnreadable(error)) throw error
    throw new DamagedEvent(firstUnreadable(read, first), 'cannot be read from the file')
  }
}

/** Finds the position of the broken row: reads one row more each time, until reading fails. */
const firstUnreadable = (read: (limit: number) => { position: number }[], first: number): number => {
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
