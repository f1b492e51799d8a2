// Hands the public events of the log to many subscribers: first past events, then new ones, without a gap or a repeat.
// Subscribers are grouped by the owner whose events they see. Those that do not choose among these events get the same
// lists, so that each list is encoded once.
import type { Recorded } from '../contract/stored.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import { yieldToLoop } from '../platform/loop.ts'
import { createBroadcast } from './broadcast.ts'
import { createChoice, type EventFilter } from './event-filter.ts'
import { createPast, type PastLog } from './past.ts'
import { type Published, positionOf, publishedOf } from './published.ts'
import { createWindow } from './window.ts'

/**
 * Takes the next events, in order and never an empty list. Returns false when the subscriber has enough for now. Other
 * subscribers may get the same list, so it must not be changed.
 */
export type Take = (events: readonly Published[]) => boolean

export type Subscription = {
  /** Continues after `take` has returned false. */
  resume(): void
  /** The position up to which the subscriber has taken every event that is for it. */
  passed(): number
  close(): void
}

/** This many of the newest events are kept for subscribers that come back soon. */
const mostInMemory = 4096

/** Events of roughly this many characters are handed over at once, so that a slow reader holds little memory. */
const togetherAtMost = 64 * 1024
/** The length, in characters, that is assumed for an event without the text of an error. */
const assumedLength = 512
const lengthOf = ({ event }: Published): number =>
  assumedLength + (event.type === 'AgentError' ? event.error.length : 0)

/** Cuts a list of events into pieces of up to `togetherAtMost` characters. A longer event is a piece of its own. */
const cut = (events: readonly Published[]): (readonly Published[])[] => {
  if (events.length === 1) return [events]
  const pieces: Published[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const event of events) {
    length += lengthOf(event)
    if (length > togetherAtMost) {
      pieces.push([])
      length = lengthOf(event)
    }
    pieces.at(-1)?.push(event)
  }
  return pieces.length === 1 ? [events] : pieces
}
/** The next subscriber usually gets the same list as the one before, so its pieces are kept. */
const createPieces = () => {
  let last: { events: readonly Published[]; pieces: (readonly Published[])[] } = { events: [], pieces: [] }
  return (events: readonly Published[]) => {
    if (last.events !== events) last = { events, pieces: cut(events) }
    return last.pieces
  }
}

export const createEvents = (log: PastLog, loop: LoopShares, atOnce?: number) => {
  const past = createPast(log, loop)
  const choiceOf = createChoice()
  const piecesOf = createPieces()
  const broadcast = createBroadcast({
    window: createWindow({ numberOf: positionOf, entriesAtMost: mostInMemory }, log.head()),
    groupOf: ({ owner }: Published) => owner,
    async pause(owner) {
      if (owner !== undefined) await loop.enter(owner)
      await yieldToLoop()
    },
    atOnce,
  })

  return {
    /**
     * The last stored position. A subscriber that starts after this position gets every later event, even if NATS
     * delays the publishing.
     */
    position: () => log.head(),
    /** Publishes the public events up to a position. `events` must be all of them that are not published yet. */
    publishUpTo: (upTo: number, events: readonly Published[]): void => broadcast.publish(events, upTo),
    /** Drops the events in memory, since some of them were erased. Subscribers that are behind then read the log. */
    forget(): void {
      broadcast.forget()
      past.forget()
    },
    publish(committed: readonly Recorded[]): void {
      const last = committed.at(-1)
      if (last === undefined) return
      broadcast.publish(broadcast.hasSubscribers() ? publishedOf(committed) : [], last.position)
    },

    /**
     * Subscribes to the events after a position. `onFault` is called when stored events cannot be read; the subscriber
     * gets nothing after that.
     */
    subscribe(
      after: number,
      filter: EventFilter,
      take: Take,
      onFault: (error: unknown) => void,
    ): Subscription {
      const choose = choiceOf(filter)
      const subscriber = broadcast.subscribe({
        group: filter.owner,
        past: past.of(filter),
        position: after,
        onFault,
        take(events) {
          for (const piece of piecesOf(choose(events))) {
            subscriber.position = positionOf(piece.at(-1) as Published)
            if (take(piece) && subscriber.state !== 'closed') continue
            subscriber.past.close() // so that a subscriber that takes nothing holds nothing
            return false
          }
          return true
        },
      })
      let hasBegun = false
      // Catching up begins later: it may call `take` at once, and the caller must have its subscription by then.
      queueMicrotask(() => {
        hasBegun = true
        broadcast.resume(subscriber)
      })
      return {
        resume: () => hasBegun && broadcast.resume(subscriber),
        passed: () => broadcast.passed(subscriber),
        close: () => broadcast.close(subscriber),
      }
    },
  }
}
export type Events = ReturnType<typeof createEvents>
