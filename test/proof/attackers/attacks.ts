// What attackers do to a log. Each attack gives the events of another log that fits itself: numbers, digests and leaves
// are right. So only what is kept elsewhere can tell.
import { closeHeader, digestOf, leafOf } from '../../../src/log/leaf.ts'
import Database from '../../../src/platform/sqlite/library.ts'
import { logOf } from '../verify/signed-folder.ts'

type Header = Record<string, unknown> & { stream: string; revision: number }
export type Event = { header: Header; payload: string; salt: string }

type Row = { header: string; payload: string; salt: string }
export const eventsIn = (dataDir: string): Event[] => {
  const db = new Database(logOf(dataDir), { readonly: true })
  const rows = db.prepare<[], Row>('SELECT header, payload, salt FROM events ORDER BY position').all()
  db.close()
  return rows.map(({ header, ...row }) => ({ ...row, header: JSON.parse(header) as Header }))
}

/** Puts other events into a log, numbered and hashed anew, with the triggers that it had. */
export const rewrite = (dataDir: string, events: readonly Event[]): void => {
  const db = new Database(logOf(dataDir))
  const triggers = db
    .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  db.exec('DELETE FROM events; DELETE FROM streams')
  const streams = new Map<string, { no: number; revision: number }>()
  const addStream = db.prepare('INSERT INTO streams VALUES (?, ?)')
  const add = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)')
  for (const [n, { header, payload, salt }] of events.entries()) {
    const known = streams.get(header.stream) ?? { no: streams.size + 1, revision: -1 }
    if (known.revision === -1) addStream.run(known.no, header.stream)
    streams.set(header.stream, known)
    known.revision++
    const { digest: _, ...open }: Header = { ...header, revision: known.revision }
    const text = closeHeader(JSON.stringify(open).slice(0, -1), digestOf(salt, payload))
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
}
