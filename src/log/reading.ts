// Reading the log back: in pages, every event held against its hashes and its place, so that damage is never
// passed over and never shown.
import { DamagedEvent, type Log } from '../contract/stored.ts'
import { decode } from './decode.ts'
import type { Row, Store } from './store.ts'

const pageSize = 1000

/** `head` is the last position that is durable. */
export const createReading = (
  store: Pick<Store, 'streamPage' | 'page' | 'lastOf'>,
  head: () => number,
): Pick<Log, 'readStream' | 'streamPages' | 'readAll' | 'lastOf'> => {
  function* streamPages(stream: string, after = -1) {
    for (let from = after; ; ) {
      const rows = readable(limit => store.streamPage(stream, from, limit), head())
      for (const row of rows) {
        if (row.revision !== ++from)
          throw new DamagedEvent(row.position, `is not revision ${from} of ${stream}`)
      }
      if (rows.length > 0) yield rows.map(row => decode(row))
      if (rows.length < pageSize) return
    }
  }
  return {
    streamPages,
    async *readStream(stream: string, after = -1) {
      yield* streamPages(stream, after)
    },
    async *readAll(after = 0) {
      const end = head()
      for (let from = after; ; ) {
        const rows = readable(limit => store.page(from, limit), from + 1)
        if (rows.length === 0 && from < end) throw new DamagedEvent(from + 1, 'is missing')
        if (rows.length === 0) return
        for (const { position } of rows) if (position !== ++from) throw new DamagedEvent(from, 'is missing')
        yield rows.map(row => decode(row))
      }
    },
    async lastOf(stream: string) {
      const [row] = readable(() => [store.lastOf(stream) ?? []].flat(), head())
      return row === undefined ? undefined : decode(row)
    },
  }
}

/** What SQLite finds broken in the file is damage, like what our hashes find; `first` is where the reading began. */
const readable = (read: (limit: number) => Row[], first: number): Row[] => {
  try {
    return read(pageSize)
  } catch (error) {
    if (!isCorrupt(error)) throw error
    throw new DamagedEvent(firstUnreadable(read, first), 'cannot be read from the file')
  }
}

/**
 * What SQLite finds broken or cannot read. What it cannot write, sync or make longer is none: a full disk says so, and the
 * file is as it was.
 */
export const isCorrupt = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB|PROTOCOL|CANTOPEN|IOERR$|IOERR_(READ|SHORT_READ|CORRUPTFS|DATA|FSTAT|IN_PAGE|SEEK|VNODE))/.test(
    (error as { code?: string }).code ?? '',
  )

/** The rows before the broken one can still be read: more of them, until one fails. */
const firstUnreadable = (read: (limit: number) => Row[], first: number): number => {
  let position = first
  for (let limit = 1; limit <= pageSize; limit++) {
    try {
      position = (read(limit).at(-1)?.position ?? position - 1) + 1
    } catch {
      return position
    }
  }
  return position
}
