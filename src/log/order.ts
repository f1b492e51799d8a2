// Puts appends in order: checks their expected revisions, and fixes revision, position, time and stream number at once.
import { erasureStream, payloadsErased } from '../contract/erased-range.ts'
import type { PayloadsErased } from '../contract/events/erasure-events.ts'
import type { Clock, Random } from '../contract/ports.ts'
import {
  type Header,
  type NewEvent,
  type Recorded,
  RevisionConflict,
  type StreamAppend,
} from '../contract/stored.ts'
import { createHeads } from './heads.ts'
import type { Payload } from './long-payloads.ts'
import type { PackedBatch, Store } from './store.ts'

// Gives events their times. The time of an event is never earlier than the time of the event before, even if the clock
// goes back.

const createTimes = (clock: Clock) => {
  let millis = 0
  let time = new Date(millis).toISOString()
  return {
    /** Continues after an event with this ISO time; undefined: there is no event yet. */
    begin(last: string | undefined): void {
      millis = last === undefined ? 0 : Date.parse(last)
      time = new Date(millis).toISOString()
    },
    /** ISO time of the next event. */
    next(): string {
      const now = clock.now()
      if (now > millis) {
        millis = now
        time = new Date(now).toISOString()
      }
      return time
    },
  }
}

// Makes the stored header of an event: as an object, and as the text that is hashed.

/** The part of the JSON that all headers of one append have in common. It is made once for each append. */
const commonText = (
  { principal, owner, session_id, correlation_id, causation_id }: StreamAppend,
  build: string,
) => JSON.stringify({ principal, owner, session_id, correlation_id, causation_id, build }).slice(1, -1)

/** The text of a header as JSON.stringify writes it, but without the digest and the brace that the writer adds. */
const openHeader = (header: Header, stream: string, common: string): string => {
  const { revision, type, schema_version, time, seq, frames, copy_of } = header
  const numbered = seq === undefined ? '' : `,"seq":${seq},"frames":${frames}`
  const copied = copy_of === undefined ? '' : `,"copy_of":${JSON.stringify(copy_of)}`
  return `{"stream":${stream},"revision":${revision},"type":${JSON.stringify(type)},"schema_version":${schema_version},"time":"${time}",${common}${numbered}${copied}`
}

const headerOf = (
  append: StreamAppend,
  event: NewEvent,
  revision: number,
  time: string,
  build: string,
): Header => {
  const header: Header = {
    stream: append.stream,
    revision,
    type: event.type,
    schema_version: event.schema_version,
    time,
    principal: append.principal,
    owner: append.owner,
    session_id: append.session_id,
    correlation_id: append.correlation_id,
    causation_id: append.causation_id,
    build,
  }
  if (event.seq !== undefined && event.frames !== undefined) {
    header.seq = event.seq
    header.frames = event.frames
  }
  if (event.copy_of !== undefined) header.copy_of = event.copy_of
  return header
}

/** What an event erases; undefined: it erases nothing. */
const erasedIn = (stream: string, { type, data }: NewEvent) => {
  if (stream !== erasureStream || type !== payloadsErased) return undefined
  const { streams, from, to } = data as PayloadsErased
  return { streams, from, to }
}

export type OrderDeps = { clock: Clock; random: Random; build: string }
export type Ordered = { packed: PackedBatch; recorded: Recorded[] }

/** `head`: the position of the newest event that is durable. */
export const createOrder = (store: Store, { clock, random, build }: OrderDeps, head: () => number) => {
  const heads = createHeads(store, head)
  /** The position of the newest event that was put in order. The event may not be durable yet. */
  let position = 0
  let lastStreamNo = 0
  const times = createTimes(clock)

  /** Continues after the stored events. Returns the position of the last stored event. */
  const begin = (): number => {
    const last = store.last()
    heads.clear()
    position = last?.position ?? 0
    lastStreamNo = store.lastStreamNo()
    times.begin(last === undefined ? undefined : (JSON.parse(last.header) as Header).time)
    return position
  }

  /** Throws when appends name a stream twice, or when one expects another revision than the stream has. */
  const check = (appends: StreamAppend[]): void => {
    if (appends.length > 1 && new Set(appends.map(({ stream }) => stream)).size < appends.length) {
      throw new Error('an append names a stream twice')
    }
    for (const { stream, expectedRevision, justMade } of appends) {
      if (justMade && expectedRevision === -1) continue
      const actual = heads.of(stream)?.revision ?? -1
      if (actual !== expectedRevision) throw new RevisionConflict(stream, expectedRevision, actual)
    }
  }

  /** `payloads`: the payloads of all events, append by append. After a RevisionConflict, nothing has changed. */
  const put = (appends: StreamAppend[], payloads: Payload[][]): Ordered => {
    check(appends)
    const packed: PackedBatch = {
      first: position + 1,
      streamNos: [],
      revisions: [],
      texts: [],
      newStreams: [],
      long: [],
      erasures: [],
    }
    const recorded: Recorded[] = []
    const time = times.next()
    for (const [n, append] of appends.entries()) {
      let known = heads.inMemory(append.stream)
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
        const erased = erasedIn(append.stream, event)
        if (erased !== undefined) packed.erasures.push({ position, erased })
        const payload = payloads[n]?.[m] ?? ''
        const open = openHeader(header, stream, common)
        if (typeof payload === 'string') packed.texts.push(open, payload, random.text(16))
        else {
          packed.texts.push(open, '', payload.salt)
          packed.long.push({ position, payload: payload.no })
        }
      }
      known.position = position
      heads.keep(append.stream, known)
    }
    return { packed, recorded }
  }

  const revisionOf = (stream: string): number => heads.of(stream)?.revision ?? -1
  return { begin, check, put, revisionOf, newestOf: heads.newestOf }
}
export type Order = ReturnType<typeof createOrder>
