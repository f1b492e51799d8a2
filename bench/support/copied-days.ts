// Writes a log that has the events of a day many times: each copy has other ids, names and times, so it is what other
// users did on another day. The events are written through the log itself.
import { erasablePrefixes } from '../../src/contract/erased-range.ts'
import { isWebhookStream } from '../../src/contract/events/webhook-events.ts'
import type { Recorded, StreamAppend } from '../../src/contract/stored.ts'
import type { EventLog } from '../../src/log/log.ts'
import { longSession } from './day-of-use.ts'

/** Milliseconds between two copies of the day. */
const apart = 12 * 3_600_000
/** Of this many copies, one contains the long session. */
const longEvery = 20
/** Appends that may wait for their commit. */
const waitingAppends = 256
/** Characters of an event from which its append may get its place later than appends that follow. */
const longEvent = 100_000

/** An id of 32 hexadecimal digits, of which the first 12 are its time; the end of a name; a digest; a position. */
const changing = /(?<![0-9a-f])0[0-9a-f]{31}(?![0-9a-f])|-000(?![\w-])|"(?:body_)?digest":"[\w-]{43}"/g
const changingWithPositions = new RegExp(`${changing.source}|"position":\\d+`, 'g')

/** `texts[0]`, then `found[0]`, then `texts[1]` and so on: the event as JSON. */
type Template = {
  event: Recorded
  texts: string[]
  found: string[]
  size: number
  ofLongSession: boolean
}

/** What differs between two copies. `at`: the position of an event of the day in this copy. */
type Copy = { n: number; earlier: number; at: (position: number) => number }

const templateOf = (event: Recorded): Template => {
  const { stream, principal, owner, session_id, correlation_id, causation_id, copy_of } = event.header
  const fields = { stream, principal, owner, session_id, correlation_id, causation_id, copy_of }
  const text = JSON.stringify({ ...fields, data: event.data })
  const pattern = isWebhookStream(stream) ? changingWithPositions : changing
  return {
    event,
    texts: text.split(pattern),
    found: text.match(pattern) ?? [],
    size: text.length,
    ofLongSession: session_id === longSession,
  }
}

const changed = (found: string, { n, earlier, at }: Copy): string => {
  if (found === '-000') return `-${String(n).padStart(3, '0')}`
  if (found.startsWith('"position"')) return `"position":${at(Number(found.slice('"position":'.length)))}`
  if (found.startsWith('"')) return `${found.slice(0, -4)}${String(n).padStart(3, '0')}"`
  return (Number.parseInt(found.slice(0, 12), 16) - earlier).toString(16).padStart(12, '0') + found.slice(12)
}

type Copied = Pick<
  StreamAppend,
  'stream' | 'principal' | 'owner' | 'session_id' | 'correlation_id' | 'causation_id'
> & { copy_of?: string; data: object }

const copied = ({ texts, found }: Template, copy: Copy, changes: Map<string, string>): Copied => {
  let json = texts[0] ?? ''
  for (const [n, text] of found.entries()) {
    let other = changes.get(text)
    if (other === undefined) {
      other = changed(text, copy)
      changes.set(text, other)
    }
    json += other + texts[n + 1]
  }
  return JSON.parse(json)
}

/** Events that were stored at one moment, and of which no stream has two appends. */
const momentsOf = (templates: Template[]): Template[][] => {
  const moments: Template[][] = []
  let streams = new Set<string>()
  let last: Recorded['header'] | undefined
  for (const template of templates) {
    const { header } = template.event
    const goesOn = header.stream === last?.stream && header.causation_id === last.causation_id
    const isNew = header.time !== last?.time || (streams.has(header.stream) && !goesOn)
    if (isNew) {
      moments.push([])
      streams = new Set()
    }
    moments.at(-1)?.push(template)
    streams.add(header.stream)
    last = header
  }
  return moments
}

const appendsOf = (moment: Template[], copy: Copy, changes: Map<string, string>): StreamAppend[] => {
  const appends: StreamAppend[] = []
  for (const template of moment) {
    const { header, type } = { header: template.event.header, type: template.event.header.type }
    const { data, copy_of, ...fields } = copied(template, copy, changes)
    let append = appends.at(-1)
    if (append?.stream !== fields.stream) {
      append = { ...fields, expectedRevision: header.revision - 1, events: [] }
      appends.push(append)
    }
    const { schema_version, seq, frames } = header
    append.events.push({
      ...{ type, schema_version, data },
      ...(seq === undefined ? {} : { seq }),
      ...(frames === undefined ? {} : { frames }),
      ...(copy_of === undefined ? {} : { copy_of }),
    })
  }
  return appends
}

/** The positions of the day's events in a copy that begins after `base`. */
const placesOf = (day: Recorded[], templates: Template[]): ((base: number) => Copy['at']) => {
  const kept = new Set(templates.map(({ event }) => event.position))
  const places = [0]
  for (const { position } of day)
    places[position] = (places[position - 1] ?? 0) + (kept.has(position) ? 1 : 0)
  return base => position => base + (places[position] ?? 0)
}

/** A clock that the copies set. The log that they are written to must use it. */
export const createCopyClock = () => {
  let now = 0
  return {
    now: () => now,
    set(to: number) {
      now = to
    },
  }
}
type CopyClock = ReturnType<typeof createCopyClock>

/**
 * Writes copies of a day into an empty log until it has at least this many events. The last copy has the times of the
 * day itself.
 */
export const writeCopies = async (
  log: EventLog,
  clock: CopyClock,
  day: Recorded[],
  events: number,
): Promise<void> => {
  const all = day
    .filter(({ header }) => erasablePrefixes.some(prefix => header.stream.startsWith(prefix)))
    .map(templateOf)
  const short = all.filter(({ ofLongSession }) => !ofLongSession)
  const [ofAll, ofShort] = [all, short].map(templates => ({
    moments: momentsOf(templates),
    size: templates.length,
    at: placesOf(day, templates),
  }))
  if (ofAll === undefined || ofShort === undefined || short.length === 0)
    throw new Error('the day has no events')
  const copies = [ofAll]
  for (let size = ofAll.size; size < events; size += copies.at(-1)?.size ?? 0)
    copies.push(copies.length % longEvery === 0 ? ofAll : ofShort)

  let base = 0
  let waiting: Promise<unknown>[] = []
  for (const [n, { moments, size, at }] of copies.entries()) {
    const copy = { n, earlier: (copies.length - 1 - n) * apart, at: at(base) }
    const changes = new Map<string, string>()
    for (const moment of moments) {
      clock.set(Date.parse(moment[0]?.event.header.time ?? '') - copy.earlier)
      waiting.push(log.append(appendsOf(moment, copy, changes)))
      if (waiting.length < waitingAppends && !moment.some(event => event.size > longEvent)) continue
      await Promise.all(waiting)
      waiting = []
    }
    base += size
  }
  await Promise.all(waiting)
}
