// Puts appends in order: what they are held against (expected revisions), and what they get (revision, position, time, the
// number of the stream), fixed the moment they are made.
import type { Clock, Random } from '../contract/ports.ts'
import { type Header, type Recorded, RevisionConflict, type StreamAppend } from '../contract/stored.ts'
import { asked } from './asked.ts'
import { commonText, headerOf, openHeader } from './header.ts'
import type { PackedBatch, Store, StreamHead } from './store.ts'
import { createTimes } from './times.ts'

export type OrderDeps = { clock: Clock; random: Random; build: string }
export type Ordered = { packed: PackedBatch; recorded: Recorded[] }

/** A stream's head, and the position of its newest event (0: it was read from the file). */
type KnownHead = StreamHead & { position: number }

const headsKept = 100_000

/** `head`: the position of the newest event that is durable. */
export const createOrder = (store: Store, { clock, random, build }: OrderDeps, head: () => number) => {
  const heads = new Map<string, KnownHead>()
  // Of the newest event put in order, which is not durable yet, perhaps.
  let position = 0
  let lastStreamNo = 0
  const times = createTimes(clock)

  /** Begins behind what is stored; the answer: the position of the last event. */
  const begin = (): number => {
    const last = store.last()
    heads.clear()
    position = last?.position ?? 0
    lastStreamNo = store.lastStreamNo()
    times.begin(last === undefined ? undefined : (JSON.parse(last.header) as Header).time)
    return position
  }

  /** The newest used last. A stream whose last events are not durable yet is never forgotten: the file is behind. */
  const remember = (stream: string, known: KnownHead) => {
    heads.delete(stream)
    heads.set(stream, known)
    if (heads.size <= headsKept) return
    for (const [oldest, { position }] of heads) {
      if (position <= head()) heads.delete(oldest)
      return
    }
  }
  const headOf = (stream: string): KnownHead | undefined => {
    const known = heads.get(stream)
    if (known !== undefined) return known
    const stored = asked(() => store.headOf(stream))
    if (stored === undefined) return undefined
    const found = { ...stored, position: 0 }
    remember(stream, found)
    return found
  }

  /** Throws what no append may do: name a stream twice, or expect another revision. */
  const check = (appends: StreamAppend[]): void => {
    if (new Set(appends.map(({ stream }) => stream)).size < appends.length) {
      throw new Error('an append names a stream twice')
    }
    for (const { stream, expectedRevision, justMade } of appends) {
      if (justMade && expectedRevision === -1) continue
      const actual = headOf(stream)?.revision ?? -1
      if (actual !== expectedRevision) throw new RevisionConflict(stream, expectedRevision, actual)
    }
  }

  /** Throws RevisionConflict, and then leaves no trace. */
  const put = (appends: StreamAppend[]): Ordered => {
    check(appends)
    // Written out before anything is put in order: what cannot be written leaves no trace.
    const payloads = appends.map(({ events }) => events.map(({ data }) => JSON.stringify(data)))
    const packed: PackedBatch = {
      first: position + 1,
      streamNos: [],
      revisions: [],
      texts: [],
      newStreams: [],
    }
    const recorded: Recorded[] = []
    const time = times.next()
    for (const [n, append] of appends.entries()) {
      let known = heads.get(append.stream)
      if (known === undefined) {
        known = { no: ++lastStreamNo, revision: -1, position: 0 }
        packed.newStreams.push({ no: known.no, id: append.stream })
      }
      const stream = JSON.stringify(append.stream)
      const common = commonText(append, build)
      for (const [m, event] of append.events.entries()) {
        const header = headerOf(append, event, ++known.revision, time, build)
        recorded.push({ position: ++position, header, data: event.data })
        packed.streamNos.push(known.no)
        packed.revisions.push(known.revision)
        packed.texts.push(openHeader(header, stream, common), payloads[n]?.[m] ?? '', random.text(16))
      }
      known.position = position
      remember(append.stream, known)
    }
    return { packed, recorded }
  }

  return { begin, put, revisionOf: (stream: string): number => headOf(stream)?.revision ?? -1 }
}
