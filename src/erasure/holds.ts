// Places, lifts and finds legal holds. Events in the log record them; the current holds are also kept in memory.

import { type HoldEvent, holdEvents } from '../contract/decoders/hold.ts'
import { type HoldPlaced, type HoldSubject, holdStream } from '../contract/events/hold-events.ts'
import type { Ids } from '../contract/ports.ts'
import { Invalid, Refusal } from '../contract/refusals.ts'
import type { Log } from '../contract/stored.ts'
import { record } from '../log/record.ts'
import { createTurns } from '../platform/turns.ts'
import type { Asked } from './asked.ts'

/** A hold as the API shows it. */
export type Hold = HoldPlaced & { placed_at: string }
/** A task, a session or a user that may be under a hold. */
export type Holdable = { task_id?: string; session_id?: string; user_id: string }

const kinds = ['task_id', 'session_id', 'user_id'] as const

const isSame = (a: HoldSubject, b: HoldSubject): boolean => kinds.every(kind => a[kind] === b[kind])

/** The subject that a body names. Other fields of the body are ignored. Throws Invalid unless exactly one is named. */
const subjectOf = (body: HoldSubject): HoldSubject => {
  const named = kinds.filter(kind => body[kind] !== undefined)
  if (named.length === 1) return Object.fromEntries(named.map(kind => [kind, body[kind]]))
  throw new Invalid([
    { loc: ['body'], msg: 'Name one of task_id, session_id and user_id', type: 'value_error' },
  ])
}

/** Whether a hold names this task, session or user. */
const isOn = (hold: HoldSubject, thing: Holdable): boolean =>
  kinds.some(kind => hold[kind] !== undefined && hold[kind] === thing[kind])

/** Finds the holds on a thing, however many holds there are. */
const createHoldsByThing = () => {
  const things = { task_id: new Map(), session_id: new Map(), user_id: new Map() } as Record<
    (typeof kinds)[number],
    Map<string, Set<Hold>>
  >
  const each = (hold: Hold, visit: (holds: Map<string, Set<Hold>>, id: string) => void): void => {
    for (const kind of kinds) {
      const id = hold[kind]
      if (id !== undefined) visit(things[kind], id)
    }
  }
  return {
    add: (hold: Hold): void =>
      each(hold, (holds, id) => void holds.set(id, new Set(holds.get(id)).add(hold))),
    remove: (hold: Hold): void =>
      each(hold, (holds, id) => {
        holds.get(id)?.delete(hold)
        if (holds.get(id)?.size === 0) holds.delete(id)
      }),
    on: (thing: Holdable): Hold[] =>
      kinds.flatMap(kind => {
        const id = thing[kind]
        return id === undefined ? [] : [...(things[kind].get(id) ?? [])]
      }),
  }
}

type Deps = { log: Pick<Log, 'append' | 'revisionOf' | 'readStream'>; ids: Ids }

export const openHolds = async ({ log, ids }: Deps) => {
  const holds = new Map<string, Hold>()
  const byThing = createHoldsByThing()
  /** A hold whose append has its place in the log, but is not stored yet. Erasures that come later must respect it. */
  let placing: HoldPlaced | undefined
  let changes = 0
  const inTurn = createTurns()
  const take = ({ type, data }: HoldEvent, time: string): void => {
    const { hold_id } = data
    const before = holds.get(hold_id)
    if (before !== undefined) byThing.remove(before)
    holds.delete(hold_id)
    if (type === 'HoldLifted') return
    const hold = { ...data, placed_at: time }
    changes++
    holds.set(hold_id, hold)
    byThing.add(hold)
  }
  const read = async (): Promise<void> => {
    for await (const page of log.readStream(holdStream))
      for (const event of page.map(holdEvents.read)) take(event, event.header.time)
  }
  await read()

  const append = async (event: HoldEvent, { principal, requestId }: Asked): Promise<void> => {
    const by = { principal: principal.id, causation: requestId }
    const [stored] = await record(log, holdStream, [event], by)
    take(event, stored?.header.time ?? '')
  }
  const find = (subject: HoldSubject) => [...holds.values()].find(hold => isSame(hold, subject))

  const place = async (asked: Asked, subject: HoldSubject, reason: string): Promise<Hold> => {
    const known = find(subject)
    if (known !== undefined) return known
    const data = { hold_id: ids.next('hold_'), ...subject, reason, by: asked.principal.id }
    placing = data
    changes++
    try {
      await append({ type: 'HoldPlaced', data }, asked)
    } finally {
      placing = undefined
    }
    return holds.get(data.hold_id) as Hold
  }
  const lift = async (asked: Asked, subject: HoldSubject, reason: string): Promise<Hold> => {
    const known = find(subject)
    if (known === undefined) throw new Refusal('HoldNotFound')
    const data = { hold_id: known.hold_id, ...subject, reason, by: asked.principal.id }
    await append({ type: 'HoldLifted', data }, asked)
    return known
  }
  return {
    /** Takes in the events that are stored although their write failed. */
    lookAgain: read,
    list: (): Hold[] => [...holds.values()],
    /** The holds on this task, session or user. */
    on: (thing: Holdable): HoldPlaced[] => [
      ...byThing.on(thing),
      ...(placing !== undefined && isOn(placing, thing) ? [placing] : []),
    ],
    /** A number that changes whenever a hold is placed, or gets its place in the log. */
    changes: (): number => changes,
    /** Places a hold. If there already is a hold on the subject, returns that hold unchanged. */
    async place(asked: Asked, body: HoldSubject & { reason: string }): Promise<Hold> {
      const subject = subjectOf(body)
      return inTurn(() => place(asked, subject, body.reason))
    },
    /** Lifts the hold on the subject. Throws HoldNotFound. */
    async lift(asked: Asked, body: HoldSubject & { reason: string }): Promise<Hold> {
      const subject = subjectOf(body)
      return inTurn(() => lift(asked, subject, body.reason))
    },
  }
}
export type Holds = Awaited<ReturnType<typeof openHolds>>
