// Hands the public events of the log to many subscribers: first past events, then new ones, without a gap or a repeat.
// Each event is published once and handed to all subscribers that may see it. A subscriber that cannot take more for
// now reads what it has missed from the log later.
import type { Recorded } from '../contract/stored.ts'
import type { LoopShares } from '../fairness/loop-shares.ts'
import { createCatchUp } from './catch-up.ts'
import { defaultEvents, type EventFilter, isNarrow } from './event-filter.ts'
import { createKeptEvents, type KeptEvents } from './kept-events.ts'
import { createLiveSubscribers, type LiveSubscribers } from './live-subscribers.ts'
import { createPast, type Past, type PastLog } from './past.ts'
import { indexAfter, type Published, publishedOf } from './published.ts'
import { createTurns } from './serve-in-turns.ts'
import { chosenBy, createHand, type Hand, type Subscriber, type Take } from './subscriber.ts'

export type Subscription = {
  /** Continues after `take` has returned false. */
  resume(): void
  /** The position up to which the subscriber has taken every event that is for it. */
  passed(): number
  close(): void
}

/** The largest number of subscribers, of one owner or of all events, that are served in one turn of the event loop. */
const defaultAtOnce = 128

/** Groups the events by owner. Events of owners without subscribers are left out. */
const byOwner = (events: readonly Published[], { isFollowed }: LiveSubscribers) => {
  const groups = new Map<string, Published[]>()
  for (const event of events) {
    if (!isFollowed(event.owner)) continue
    const group = groups.get(event.owner)
    if (group === undefined) groups.set(event.owner, [event])
    else group.push(event)
  }
  return groups
}

/**
 * Returns a function that hands new events to live subscribers. `inTurns` returns true when the subscribers of an owner
 * (undefined: those that see the events of all) are too many for one turn; they are then served elsewhere, in turns.
 */
const createDelivery = (
  live: LiveSubscribers,
  hand: Hand,
  inTurns: (owner: string | undefined) => boolean,
) => {
  /** Subscribers that do not choose among events all get the same list, `defaults`. */
  const deliver = (
    subscriber: Subscriber,
    all: readonly Published[],
    defaults: readonly Published[],
  ): void => {
    const events = subscriber.chooses ? chosenBy(subscriber, all) : defaults
    const first = events[0]
    if (first === undefined) return
    // The subscriber may have got some of these events from the log before they were published. It does not get them
    // again.
    const fresh =
      first.position > subscriber.position ? events : events.slice(indexAfter(events, subscriber.position))
    if (!hand(subscriber, fresh) && subscriber.state === 'live') live.leave(subscriber, 'full')
  }
  const deliverTo = (owner: string | undefined, events: readonly Published[]): void => {
    if (inTurns(owner)) return
    const defaults = defaultEvents(events)
    for (const subscriber of live.of(owner)) deliver(subscriber, events, defaults)
  }
  return (events: readonly Published[]): void => {
    deliverTo(undefined, events)
    for (const [owner, own] of byOwner(events, live)) deliverTo(owner, own)
  }
}

const forgetEvents = (kept: KeptEvents, past: Past): void => {
  kept.clear(kept.upTo())
  past.forget()
}

export const createEvents = (log: PastLog, loop: LoopShares, servedAtOnce = defaultAtOnce) => {
  const kept = createKeptEvents(log.head())
  const live = createLiveSubscribers()
  const hand = createHand()
  const past = createPast(log, loop)
  const catchUp = createCatchUp({ past, kept, live, hand })
  const turns = createTurns({ live, kept, catchUp, loop, atOnce: servedAtOnce })
  const deliver = createDelivery(live, hand, turns.take)
  let subscribers = 0

  /** The position up to which a subscriber has its events: if it is live and waits for no turn, all published ones. */
  const passedBy = ({ state, position, filter }: Subscriber): number =>
    state === 'live' && !turns.isBusy(filter.owner) ? Math.max(position, kept.upTo()) : position

  /** Publishes the public events up to a position. `events` must be all of them that are not published yet. */
  const publishUpTo = (upTo: number, events: readonly Published[]): void => {
    if (subscribers === 0) return void kept.clear(upTo)
    kept.add(events, upTo)
    if (events.length > 0) deliver(events)
  }

  return {
    /**
     * The last stored position. A subscriber that starts after this position gets every later event, even if NATS
     * delays the publishing.
     */
    position: () => log.head(),
    publishUpTo,
    /** Drops the events in memory, since some of them were erased. Subscribers that are behind then read the log. */
    forget: (): void => forgetEvents(kept, past),
    publish: (committed: readonly Recorded[]): void =>
      publishUpTo(committed.at(-1)?.position ?? kept.upTo(), subscribers === 0 ? [] : publishedOf(committed)),

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
      const state = 'reading'
      const subscriber: Subscriber = {
        filter,
        chooses: isNarrow(filter),
        take,
        onFault,
        position: after,
        state,
        leaveLive: () => {},
      }
      subscribers++
      let isOver = false
      // Catching up begins later: it may call `take` at once, and the caller must have its subscription by then.
      queueMicrotask(() => {
        if (subscriber.state === 'reading') catchUp(subscriber)
      })
      return {
        resume() {
          if (subscriber.state === 'full') catchUp(subscriber)
        },
        passed: () => passedBy(subscriber),
        close() {
          if (isOver) return
          isOver = true
          subscribers--
          live.leave(subscriber, 'closed')
        },
      }
    },
  }
}
export type Events = ReturnType<typeof createEvents>
