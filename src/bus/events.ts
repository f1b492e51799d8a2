// The public events of the log for many subscribers: past first, then live, without a gap or a repeat. What was
// appended is told once and handed to all who may see it; who cannot take more at once goes back to the log.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { heardByName } from '../contract/public-events.ts'
import type { Log, Recorded } from '../contract/stored.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import { createPast } from './past.ts'
import { indexAfter, type Told, toldOf } from './told.ts'

export type { Told } from './told.ts'

export type EventFilter = {
  /** Absent: of all users. */
  owner?: string | undefined
  /** Absent: all but those that are heard by name. */
  types?: ReadonlySet<string> | undefined
  sessionId?: string | undefined
  taskId?: string | undefined
}

export type Subscription = {
  /** Takes up again where `take` said that it was enough. */
  resume(): void
  close(): void
}
/** What comes next, never empty, in order; false: enough for now. The same list may be handed to others. */
type Take = (events: readonly Told[]) => boolean

type Subscriber = {
  filter: EventFilter
  /** It does not take all that its owner's others take. */
  chooses: boolean
  take: Take
  onFault: (error: unknown) => void
  /** What is not later was taken, or is not for it. */
  position: number
  state: 'reading' | 'live' | 'full' | 'closed'
}

/** So many told events are kept for those who come back soon. */
const keptAtMost = 4096
/** Subscribers of one user that are served in one turn of the event loop. */
const usuallyAtOnce = 128
/** So many characters, roughly, are handed over at once: what a slow reader holds stays small. */
const togetherAtMost = 64 * 1024
const usualLength = 512
const lengthOf = ({ event }: Told): number =>
  usualLength + (event.type === 'AgentError' ? event.error.length : 0)

/** A list in pieces that are not too long. */
const piecesOf = (events: readonly Told[]): (readonly Told[])[] => {
  if (events.length === 1) return [events]
  const pieces: Told[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const told of events) {
    length += lengthOf(told)
    if (length > togetherAtMost) {
      pieces.push([])
      length = lengthOf(told)
    }
    pieces.at(-1)?.push(told)
  }
  return pieces.length === 1 ? [events] : pieces
}

const isUsual = ({ event }: Told): boolean => !heardByName.has(event.type)
/** What is heard without names: the same list where that is all of it. */
const usualOf = (told: readonly Told[]): readonly Told[] =>
  told.every(isUsual) ? told : told.filter(isUsual)

const hasFilter = ({ types, sessionId, taskId }: EventFilter): boolean =>
  types !== undefined || sessionId !== undefined || taskId !== undefined

const fits = ({ owner, types, sessionId, taskId }: EventFilter, told: Told): boolean => {
  const { event } = told
  if (owner !== undefined && told.owner !== owner) return false
  if (types === undefined ? !isUsual(told) : !types.has(event.type)) return false
  if (sessionId !== undefined && event.session_id !== sessionId) return false
  return taskId === undefined || event.task_id === taskId
}

/** The events of each owner that somebody follows. */
const byOwner = (told: readonly Told[], followed: ReadonlyMap<string | undefined, unknown>) => {
  const groups = new Map<string, Told[]>()
  for (const one of told) {
    if (!followed.has(one.owner)) continue
    const group = groups.get(one.owner)
    if (group === undefined) groups.set(one.owner, [one])
    else group.push(one)
  }
  return groups
}

export const createEvents = (
  log: Pick<Log, 'head' | 'readAll'>,
  loop: LoopShares,
  servedAtOnce = usuallyAtOnce,
) => {
  const past = createPast(log, loop)
  /** All up to here was published, or was there before. */
  let published = log.head()
  /** Told events after `keptFrom`, oldest first. */
  let kept: Told[] = []
  let keptFrom = published
  let subscribers = 0
  /** Live subscribers by the owner whose events they see (undefined: all). */
  const live = new Map<string | undefined, Set<Subscriber>>()

  const goLive = (subscriber: Subscriber) => {
    subscriber.state = 'live'
    const here = live.get(subscriber.filter.owner) ?? new Set()
    live.set(subscriber.filter.owner, here.add(subscriber))
  }
  const leave = (subscriber: Subscriber, state: 'reading' | 'full' | 'closed') => {
    subscriber.state = state
    const here = live.get(subscriber.filter.owner)
    here?.delete(subscriber)
    if (here?.size === 0) live.delete(subscriber.filter.owner)
  }

  // The next subscriber is mostly handed what the one before was.
  let cut: { events: readonly Told[]; pieces: (readonly Told[])[] } = { events: [], pieces: [] }
  const cutOnce = (events: readonly Told[]) => {
    if (cut.events !== events) cut = { events, pieces: piecesOf(events) }
    return cut.pieces
  }
  /** Hands over a piece at a time; false when that was enough. */
  const hand = (subscriber: Subscriber, events: readonly Told[]): boolean => {
    for (const piece of cutOnce(events)) {
      subscriber.position = (piece.at(-1) as Told).position
      if (!subscriber.take(piece) || subscriber.state === 'closed') return false
    }
    return true
  }
  const chosen = ({ filter }: Subscriber, events: readonly Told[]) =>
    events.filter(told => fits(filter, told))

  /** What the one before has missed: the next one mostly has missed the same. */
  let missed: { owner: string | undefined; from: number; upTo: number; told: readonly Told[] } | undefined
  const missedBy = (subscriber: Subscriber): readonly Told[] => {
    const { position: from, chooses, filter } = subscriber
    const { owner } = filter
    const isSame =
      missed !== undefined && missed.owner === owner && missed.from === from && missed.upTo === published
    if (!chooses && isSame) return missed?.told ?? []
    const told = chosen(subscriber, kept.slice(indexAfter(kept, from)))
    if (!chooses) missed = { owner, from, upTo: published, told }
    return told
  }

  /** From what is kept to the present, at once. */
  const catchUpFromKept = (subscriber: Subscriber): void => {
    const missed = missedBy(subscriber)
    if (!hand(subscriber, missed)) return void (subscriber.state === 'closed' || leave(subscriber, 'full'))
    subscriber.position = Math.max(subscriber.position, published)
    goLive(subscriber)
  }
  const catchUp = async (subscriber: Subscriber): Promise<void> => {
    while (subscriber.position < keptFrom) {
      const page = await past.after(subscriber.position, subscriber.filter.owner)
      if (subscriber.state !== 'reading') return
      if (page === undefined) throw new Error(`nothing is stored after position ${subscriber.position}`)
      if (!hand(subscriber, chosen(subscriber, page.told))) {
        return void ((subscriber.state as string) === 'closed' || leave(subscriber, 'full'))
      }
      subscriber.position = page.end
    }
    if (subscriber.state === 'reading') catchUpFromKept(subscriber)
  }
  const read = (subscriber: Subscriber): void => {
    subscriber.state = 'reading'
    if (subscriber.position >= keptFrom) {
      catchUpFromKept(subscriber)
      return
    }
    catchUp(subscriber).catch(error => {
      if (subscriber.state === 'closed') return
      leave(subscriber, 'closed')
      subscriber.onFault(error)
    })
  }

  /** Of its owner's events: those without a filter of their own share one list, the usual ones. */
  const deliver = (subscriber: Subscriber, all: readonly Told[], usual: readonly Told[]): void => {
    const events = subscriber.chooses ? chosen(subscriber, all) : usual
    const first = events[0]
    if (first === undefined) return
    // What was read from the log a moment before it was published is not told again.
    const fresh =
      first.position > subscriber.position ? events : events.slice(indexAfter(events, subscriber.position))
    if (!hand(subscriber, fresh) && subscriber.state === 'live') leave(subscriber, 'full')
  }

  /** Owners whose subscribers are so many that they are served a few at a time. */
  const served = new Set<string>()
  const serveInTurns = async (owner: string): Promise<void> => {
    served.add(owner)
    let seen: number
    do {
      seen = published
      let inTurn = 0
      for (const subscriber of [...(live.get(owner) ?? [])]) {
        if (subscriber.state !== 'live' || subscriber.position >= published) continue
        leave(subscriber, 'reading')
        read(subscriber)
        if (++inTurn % servedAtOnce !== 0) continue
        await loop.enter(owner)
        await nextTurn()
      }
    } while (published > seen)
    served.delete(owner)
  }

  /** Tells the public events up to a position: all of those after the ones that were told before. */
  const tell = (told: readonly Told[], upTo: number): void => {
    published = upTo
    if (subscribers === 0) {
      kept = []
      keptFrom = published
      return
    }
    if (told.length === 0) return
    kept.push(...told)
    if (kept.length > 2 * keptAtMost) {
      kept = kept.slice(-keptAtMost)
      keptFrom = (kept[0] as Told).position - 1
    }
    const usual = usualOf(told)
    for (const subscriber of live.get(undefined) ?? []) deliver(subscriber, told, usual)
    for (const [owner, own] of byOwner(told, live)) {
      const here = live.get(owner) ?? new Set()
      if (served.has(owner)) continue
      if (here.size > servedAtOnce) {
        void serveInTurns(owner)
        continue
      }
      const usualOwn = usualOf(own)
      for (const subscriber of here) deliver(subscriber, own, usualOwn)
    }
  }

  return {
    /** The last position that is stored. Who follows from here is told what comes after it, however late that is. */
    position: () => log.head(),
    tell,
    publish: (committed: readonly Recorded[]): void =>
      tell(subscribers === 0 ? [] : toldOf(committed), committed.at(-1)?.position ?? published),

    /** Follows from after a position. `onFault`: what is stored cannot be read; nothing comes after it. */
    subscribe(
      after: number,
      filter: EventFilter,
      take: Take,
      onFault: (error: unknown) => void,
    ): Subscription {
      const subscriber: Subscriber = {
        filter,
        chooses: hasFilter(filter),
        take,
        onFault,
        position: after,
        state: 'reading',
      }
      subscribers++
      let isOver = false
      // After the caller holds its subscription, for it may be called at once.
      queueMicrotask(() => {
        if (subscriber.state === 'reading') read(subscriber)
      })
      return {
        resume() {
          if (subscriber.state === 'full') read(subscriber)
        },
        close() {
          if (isOver) return
          isOver = true
          subscribers--
          leave(subscriber, 'closed')
        },
      }
    },
  }
}
export type Events = ReturnType<typeof createEvents>
