// Reads the events of one session: those of all streams whose first event names it. An index finds these streams, so that
// nothing of other sessions is read. The positions of the events are gathered first, because the events of several streams
// must come in the order of the log.
import { DamagedEvent, type Log, type Recorded } from '../contract/stored.ts'
import { yieldToLoop } from '../platform/loop.ts'
import { type Rows, readable, roomFor, takenPatiently } from './reading.ts'
import type { Row, Store } from './store.ts'

/** The most streams that one query of the index gives. */
const streamsAtOnce = 100
/** So many positions are gathered before the event loop runs again. */
const positionsAtOnce = 2000

type Found = Rows & Pick<Store, 'sessionStreams' | 'streamPositions'>

export const createSessionReading = (store: Found, head: () => number): Pick<Log, 'readSession'> => {
  const positionsOf = async (session: string, after: number, end: number): Promise<Float64Array> => {
    const found: number[] = []
    let gathered = 0
    const gather = async (no: number): Promise<void> => {
      for (let from = 0; ; ) {
        const positions = store.streamPositions(no, from - 1, positionsAtOnce)
        for (const position of positions) if (position > after && position <= end) found.push(position)
        from += positions.length
        gathered += positions.length
        if (gathered >= positionsAtOnce) {
          gathered = 0
          await yieldToLoop()
        }
        if (positions.length < positionsAtOnce) return
      }
    }
    for (let no = 0; ; ) {
      const streams = store.sessionStreams(session, no, streamsAtOnce)
      for (const each of streams) await gather(each)
      if (streams.length < streamsAtOnce) return Float64Array.from(found).sort()
      no = streams.at(-1) ?? no
    }
  }
  const rowAt = (position: number): Row => {
    const [row] = readable(() => store.page(position - 1, 1), position)
    if (row?.position !== position) throw new DamagedEvent(position, 'is missing')
    return row
  }
  return {
    async *readSession(session: string, after = 0): AsyncGenerator<Recorded[]> {
      const positions = await positionsOf(session, after, head())
      for (let next = 0; next < positions.length; ) {
        const rows: Row[] = []
        const hasRoom = roomFor()
        while (next < positions.length && (rows.length === 0 || hasRoom(rows.at(-1) as Row)))
          rows.push(rowAt(positions[next++] as number))
        yield await takenPatiently(store, rows)
        await yieldToLoop()
      }
    },
  }
}
