// The log read back as it is stored, for auditors, on a connection of its own. Pages are small in events and in bytes,
// and each takes its turn of the event loop, whoever else reads: the longest log is read without holding anybody up.
import type { AuditTrail, StoredEvent, StreamSummary } from '../contract/audit.ts'
import { DamagedEvent, type Header } from '../contract/stored.ts'
import { isCorrupt } from '../platform/sqlite/corrupt.ts'
import { decode } from './decode.ts'
import { leafOf } from './leaf.ts'
import { openForReading } from './sqlite-file.ts'
import type { Row } from './store.ts'

const pageEvents = 200
const pageChars = 1024 * 1024
/** Positions that are looked through for the events of one owner, in one turn. */
const windowPositions = 2000
const pageStreams = 100

const columns = 'e.position, s.id AS stream, e.revision, e.header, e.payload, e.salt, e.leaf'
const events = 'FROM events e JOIN streams s ON s.no = e.stream_no'

type Place = { position: number; revision: number; header: string; leaf: string }

const storedOf = (row: Row): StoredEvent => {
  const { header: about, position } = decode(row, {}) // as it was written, whatever its version
  return { position, about, header: row.header, payload: row.payload ?? '', salt: row.salt, leaf: row.leaf }
}

const headerAt = ({ position, header, leaf }: Place): Header => {
  if (leafOf(header) !== leaf) throw new DamagedEvent(position, 'does not fit its leaf')
  return JSON.parse(header) as Header
}

/** As much of a page as can be read; throws what SQLite says when that is nothing. */
const pageOf = (rows: IterableIterator<Row>): Row[] => {
  const page: Row[] = []
  let chars = 0
  try {
    for (const row of rows) {
      page.push(row)
      chars += row.header.length + (row.payload?.length ?? 0)
      if (chars >= pageChars) break
    }
  } catch (error) {
    if (page.length === 0) throw error
  }
  return page
}

/** The events of these rows up to the first that is damaged; then its damage. */
function* checked(rows: Row[], check: (row: Row) => void): Generator<StoredEvent[]> {
  const page: StoredEvent[] = []
  let damage: unknown
  for (const row of rows) {
    try {
      check(row)
      page.push(storedOf(row))
    } catch (error) {
      damage = error
      break
    }
  }
  if (page.length > 0) yield page
  if (damage !== undefined) throw damage
}

/** How a header names its owner; inside of any other text of it the quotes would be escaped. */
const ownedBy = (owner: string): string => `,"owner":${JSON.stringify(owner)},"session_id":`

/** `head` is the last position that is durable. Throws CannotStart. */
export const openAuditTrail = (path: string, head: () => number): AuditTrail & { close(): void } => {
  const db = openForReading(path)
  const page = db.prepare<[number, number, number], Row>(
    `SELECT ${columns} ${events} WHERE e.position > ? AND e.position <= ? ORDER BY e.position LIMIT ?`,
  )
  const streamPage = db.prepare<[number, number, number, number], Row>(
    `SELECT ${columns} ${events}
     WHERE e.stream_no = ? AND e.revision > ? AND e.position <= ? ORDER BY e.revision LIMIT ?`,
  )
  const ownerPage = db.prepare<[number, number, string], Row>(
    `SELECT ${columns} ${events} WHERE e.position > ? AND e.position <= ? AND instr(e.header, ?) > 0
     ORDER BY e.position`,
  )
  const streamNo = db.prepare<[string], number>('SELECT no FROM streams WHERE id = ?').pluck()
  const streamId = db.prepare<[number], string>('SELECT id FROM streams WHERE no = ?').pluck()
  const lastStreamNo = db.prepare<[], number>('SELECT coalesce(max(no), 0) FROM streams').pluck()
  const revisionAt = db
    .prepare<[number, number], number>(
      'SELECT coalesce(max(revision), -1) FROM events WHERE stream_no = ? AND position <= ?',
    )
    .pluck()
  const positionOf = db
    .prepare<[number, number], number>('SELECT position FROM events WHERE stream_no = ? AND revision = ?')
    .pluck()
  const place = (order: 'ASC' | 'DESC') =>
    db.prepare<[number], Place>(
      `SELECT position, revision, header, leaf FROM events WHERE stream_no = ? ORDER BY revision ${order} LIMIT 1`,
    )
  const [firstOf, lastOf] = [place('ASC'), place('DESC')]

  let turns: Promise<void> = Promise.resolve()
  const turn = (): Promise<void> => {
    turns = turns.then(() => new Promise(resolve => setImmediate(resolve)))
    return turns
  }

  /** What SQLite finds broken in the file is damage, like what our hashes find. */
  const readable = <T>(read: () => T, position: () => number): T => {
    try {
      return read()
    } catch (error) {
      if (!isCorrupt(error)) throw error
      throw new DamagedEvent(position(), 'cannot be read from the file')
    }
  }

  async function* all(after: number, end: number) {
    for (let from = after; from < end; ) {
      await turn()
      const rows = readable(
        () => pageOf(page.iterate(from, end, pageEvents)),
        () => from + 1,
      )
      if (rows.length === 0) throw new DamagedEvent(from + 1, 'is missing')
      yield* checked(rows, ({ position }) => {
        if (position !== ++from) throw new DamagedEvent(from, 'is missing')
      })
    }
  }

  async function* ofStream(stream: string, after: number, end: number) {
    const no = streamNo.get(stream)
    if (no === undefined) return
    for (let from = revisionAt.get(no, after) ?? -1; ; ) {
      await turn()
      const rows = readable(
        () => pageOf(streamPage.iterate(no, from, end, pageEvents)),
        () => positionOf.get(no, from + 1) ?? end,
      )
      if (rows.length === 0) return
      yield* checked(rows, ({ position, revision, stream: found }) => {
        if (found !== stream) throw new DamagedEvent(position, `is found as one of ${stream}`)
        if (revision !== ++from) throw new DamagedEvent(position, `is not revision ${from} of ${stream}`)
      })
    }
  }

  async function* ofOwner(owner: string, after: number, end: number) {
    const mark = ownedBy(owner)
    for (let from = after; from < end; ) {
      await turn()
      const to = Math.min(from + windowPositions, end)
      const rows = readable(
        () => pageOf(ownerPage.iterate(from, to, mark)),
        () => from + 1,
      )
      yield* checked(rows, () => {})
      from = rows.at(-1)?.position ?? to
    }
  }

  /** The number of the last stream that was begun at a position or before it: numbers follow positions. */
  const streamsUpTo = (position: number, last: number): number => {
    let [low, high] = [0, last]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((firstOf.get(middle)?.position ?? 0) <= position) low = middle
      else high = middle - 1
    }
    return low
  }

  const summaryOf = (no: number, owner: string | undefined): StreamSummary[] => {
    const [first, last] = [firstOf.get(no), lastOf.get(no)]
    if (first === undefined || last === undefined) return [] // its events are missed where they stood
    if (owner !== undefined && !first.header.includes(ownedBy(owner))) return []
    const stream = streamId.get(no) ?? ''
    const { position: first_position } = first
    const { position: last_position, revision } = last
    const [{ owner: whose }, { type: last_type }] = [headerAt(first), headerAt(last)]
    return [{ stream, revision, first_position, last_position, last_type, owner: whose }]
  }

  return {
    events(after, { stream, owner }) {
      const end = head()
      if (stream !== undefined) return ofStream(stream, after, end)
      return owner === undefined ? all(after, end) : ofOwner(owner, after, end)
    },
    async *streams(after, owner) {
      const end = lastStreamNo.get() ?? 0
      for (let no = streamsUpTo(after, end) + 1; no <= end; no += pageStreams) {
        await turn()
        const count = Math.min(pageStreams, end - no + 1)
        yield Array.from({ length: count }, (_, n) => no + n).flatMap(each =>
          readable(
            () => summaryOf(each, owner),
            () => positionOf.get(each, 0) ?? 0,
          ),
        )
      }
    },
    ownerOf(stream) {
      const no = streamNo.get(stream)
      const first = no === undefined ? undefined : firstOf.get(no)
      try {
        return first === undefined ? undefined : headerAt(first).owner
      } catch {
        return '' // whoever may read everything will be told where the damage is
      }
    },
    close() {
      db.close()
    },
  }
}
