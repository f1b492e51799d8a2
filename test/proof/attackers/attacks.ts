// What attackers do to a log. Each attack gives the events of another log that fits itself: numbers, digests and leaves
// are right. So only what is kept elsewhere can tell.
import Database from 'better-sqlite3'
import { closeHeader, digestOf, leafOf } from '../../../src/log/leaf.ts'
import { logOf } from '../verify/signed-folder.ts'

type Header = Record<string, unknown> & { stream: string; revision: number }
/** `payload` and `salt` are null after an erasure. */
type Texts = { payload: string | null; salt: string | null }
export type Event = Texts & { header: Header }

type Row = Texts & { header: string }
export const eventsIn = (dataDir: string): Event[] => {
  const db = new Database(logOf(dataDir), { readonly: true })
  const rows = db.prepare<[], Row>('SELECT header, payload, salt FROM events ORDER BY position').all()
  db.close()
  return rows.map(({ header, ...row }) => ({ ...row, header: JSON.parse(header) as Header }))
}

/**
 * Puts other events into a log, numbered and hashed anew, with the triggers that it had. The table of erasures says that
 * the last event has erased those without a payload.
 */
export const rewrite = (dataDir: string, events: readonly Event[]): void => {
  const db = new Database(logOf(dataDir))
  const triggers = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  db.exec('DELETE FROM events; DELETE FROM streams; DELETE FROM erased')
  const streams = new Map<string, { no: number; revision: number }>()
  const addStream = db.prepare('INSERT INTO streams VALUES (?, ?)')
  const add = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)')
  const addErased = db.prepare('INSERT INTO erased VALUES (?, ?, ?, ?)')
  for (const [n, { header, payload, salt }] of events.entries()) {
    const known = streams.get(header.stream) ?? { no: streams.size + 1, revision: -1 }
    if (known.revision === -1) addStream.run(known.no, header.stream)
    streams.set(header.stream, known)
    known.revision++
    const { digest, ...open }: Header = { ...header, revision: known.revision }
    const isErased = payload === null || salt === null
    const own = isErased ? String(digest) : digestOf(salt, payload)
    const text = closeHeader(JSON.stringify(open).slice(0, -1), own)
    if (isErased) addErased.run(known.no, n + 1, n + 1, events.length)
    add.run(n + 1, known.no, known.revision, text, payload, salt, leafOf(text))
  }
  for (const { sql } of triggers) db.exec(sql)
  db.close()
}

const forged = (event: Event | undefined, payload: object): Event => {
  if (event === undefined) throw new Error('there is no such event')
  return { ...event, payload: JSON.stringify(payload) }
}

/** The event that is attacked: its index, which every checkpoint but the first covers. */
const at = 12
/** Where a backup ends, after the event that names the key. */
export const backedUp = 15

/** What somebody stores after a backup was put in place, so that the log looks alive. */
const livedOn = (events: Event[]): Event[] => [
  ...events.slice(0, backedUp),
  ...events.slice(backedUp).map(event => forged(event, { instead: true })),
  forged(events[at], { more: true }),
]

const resumed = (event: Event | undefined, oldHead: number): Event => {
  const log = forged(event, { old_head: oldHead, reason: 'restored' })
  return { ...log, header: { ...log.header, stream: 'log', type: 'LogResumed' } }
}

/** The log without the payload of the event that is attacked. */
const emptied = (events: Event[]): Event[] => {
  const [event] = events.slice(at)
  if (event === undefined) throw new Error('there is no such event')
  return events.with(at, { ...event, payload: null, salt: null })
}

/** What the server would store if an admin had erased the event that is attacked. */
const erasure = (events: Event[]): Event => {
  const streams = events.slice(at, at + 1).map(({ header }) => header.stream)
  const about = { erasure_id: 'erasure_1', reason: 'asked', by: 'admin', subject: { kind: 'task', id: 'a' } }
  const event = forged(events[at], { streams, from: at + 1, to: at + 1, ...about })
  return { ...event, header: { ...event.header, stream: 'erasures', type: 'PayloadsErased' } }
}

/**
 * The attacks by name; each is a row of the table in docs/proof.md, which gets its cells from the tests. A new attack is
 * one more line here.
 */
export const attacks: Record<string, (events: Event[]) => Event[]> = {
  'edit an event': events => events.with(at, forged(events[at], { edited: true })),
  'cut the tail': events => events.slice(0, -5),
  'insert an event': events => events.toSpliced(at, 0, forged(events[at], { inserted: true })),
  'swap two events': events => {
    const [one, other] = events.slice(at, at + 2) as [Event, Event]
    return events.toSpliced(at, 2, other, one)
  },
  'leave out a stream': events => events.filter(({ header }) => header.stream !== 'task-b'),
  'roll back to a backup, and go on': livedOn,
  'roll back to a backup, and claim a restore': events => {
    const others = livedOn(events)
    return others.toSpliced(backedUp, 0, resumed(events[at], events.length))
  },
  'erase without the role, and store no event': emptied,
  'erase without the role, and store who has the role': events => [...emptied(events), erasure(events)],
}
