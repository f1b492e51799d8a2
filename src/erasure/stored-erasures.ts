// Stores erasures in the log, and reads them from it. An erasure may have several events PayloadsErased.
import { type ErasureEvent, erasureEvents, type RecordedErasure } from '../contract/decoders/erasure.ts'
import { erasureStream, payloadsErased } from '../contract/erased-range.ts'
import {
  type ErasureFinished,
  type ErasureSubject,
  erasureFinished,
  erasureLeft,
  type NotErased,
  type PayloadsErased,
  streamsPerErasure,
} from '../contract/events/erasure-events.ts'
import type { Log } from '../contract/stored.ts'
import { type By, record } from '../log/record.ts'

/**
 * `positions`: of the events PayloadsErased. `left`: folders that stay, because other tasks work in them. `finished`:
 * undefined while something is left to destroy.
 */
export type StoredErasure = {
  erasure_id: string
  positions: number[]
  time: string
  reason: string
  by: string
  subject: ErasureSubject
  streams: string[]
  left: readonly NotErased[]
  finished: ErasureFinished | undefined
}

const takeEvent = (known: StoredErasure | undefined, event: RecordedErasure): StoredErasure => {
  const { position, header, data, type } = event
  if (type !== 'PayloadsErased') {
    if (known === undefined) throw new Error(`the erasure ${data.erasure_id} has a ${type} before it began`)
    return type === 'ErasureLeft' ? { ...known, left: data.not_erased } : { ...known, finished: data }
  }
  const { erasure_id, streams, reason, by, subject } = data
  if (known === undefined)
    return {
      ...{ erasure_id, reason, by, subject, streams },
      positions: [position],
      time: header.time,
      left: [],
      finished: undefined,
    }
  return { ...known, streams: [...known.streams, ...streams], positions: [...known.positions, position] }
}

type Deps = Pick<Log, 'append' | 'revisionOf' | 'readStream' | 'readAll' | 'head'>

export const createStoredErasures = (log: Deps) => {
  const append = (events: ErasureEvent[], by: By) => record(log, erasureStream, events, by)
  /** The erasures whose first event comes after this revision of the stream, by id. */
  const read = async (after: number): Promise<Map<string, StoredErasure>> => {
    const found = new Map<string, StoredErasure>()
    for await (const page of log.readStream(erasureStream, after)) {
      for (const event of page.map(erasureEvents.read)) {
        const { erasure_id: id } = event.data
        const known = found.get(id)
        if (known !== undefined || event.type === 'PayloadsErased') found.set(id, takeEvent(known, event))
      }
    }
    return found
  }
  return {
    /**
     * Stores an erasure of these lists of streams. No event names streams of two lists. From then on, the payloads that
     * the erasure covers must not be shown.
     */
    async begin(
      erasure: Omit<PayloadsErased, 'streams'>,
      lists: readonly (readonly string[])[],
      author: By,
    ): Promise<StoredErasure> {
      const events: ErasureEvent[] = []
      for (const list of lists) {
        for (let from = 0; from < list.length; from += streamsPerErasure) {
          const streams = list.slice(from, from + streamsPerErasure)
          events.push({ type: payloadsErased, data: { ...erasure, streams } })
        }
      }
      const stored = await append(events, author)
      const { erasure_id, reason, by, subject } = erasure
      const positions = stored.map(({ position }) => position)
      const time = stored[0]?.header.time ?? ''
      const none = { left: [], finished: undefined }
      return { erasure_id, reason, by, subject, positions, time, streams: lists.flat(), ...none }
    },
    async leave(erasure: StoredErasure, left: readonly NotErased[], author: By): Promise<StoredErasure> {
      const data = { erasure_id: erasure.erasure_id, not_erased: [...left] }
      await append([{ type: erasureLeft, data }], author)
      return { ...erasure, left }
    },
    async finish(erasure: StoredErasure, data: ErasureFinished, author: By): Promise<StoredErasure> {
      await append([{ type: erasureFinished, data }], author)
      return { ...erasure, finished: data }
    },
    /** The erasures that a crash or an error has left unfinished. */
    async unfinished(): Promise<StoredErasure[]> {
      return [...(await read(-1)).values()].filter(({ finished }) => finished === undefined)
    },
    /** The erasure to which the event at this position belongs; undefined: it belongs to none. */
    async at(position: number): Promise<StoredErasure | undefined> {
      for await (const [event] of log.readAll(position - 1)) {
        const found = event && erasureEvents.find(event)
        if (found === undefined) return undefined
        const all = await read(Math.max(-1, found.header.revision - maxEvents))
        return all.get(found.data.erasure_id)
      }
      return undefined
    },
    all: () => read(-1),
  }
}
/** `at` looks for further events of an erasure in this many events before the given one. */
const maxEvents = 1000
export type StoredErasures = ReturnType<typeof createStoredErasures>
