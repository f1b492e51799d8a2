// Keeps the newest published events for subscribers that come back soon.
import { indexAfter, type Published } from './published.ts'
import { chosenBy, type Subscriber } from './subscriber.ts'

/** This many of the newest events are always kept. Older events are dropped when there are more than twice as many. */
const keptAtMost = 4096

/** `head`: the last position that was stored before the start. */
export const createKeptEvents = (head: number) => {
  let events: Published[] = []
  let from = head
  let upTo = head
  /** The last result of `missedBy`, since the next subscriber has usually missed the same events. */
  let missed:
    | { owner: string | undefined; from: number; upTo: number; events: readonly Published[] }
    | undefined

  return {
    /** The position after which every published event is kept. */
    from: () => from,
    /** The position up to which every event was published, or was stored before the server started. */
    upTo: () => upTo,
    add(published: readonly Published[], publishedUpTo: number): void {
      upTo = publishedUpTo
      events.push(...published)
      if (events.length <= 2 * keptAtMost) return
      events = events.slice(-keptAtMost)
      from = (events[0] as Published).position - 1
    },
    /** Drops all events. `publishedUpTo`: the position that `from` and `upTo` return from now on. */
    clear(publishedUpTo: number): void {
      events = []
      from = upTo = publishedUpTo
    },
    /** The kept events that a subscriber has not taken. */
    missedBy(subscriber: Subscriber): readonly Published[] {
      const { position, chooses, filter } = subscriber
      const { owner } = filter
      const isSame = missed?.owner === owner && missed?.from === position && missed?.upTo === upTo
      if (!chooses && isSame && missed !== undefined) return missed.events
      const own = chosenBy(subscriber, events.slice(indexAfter(events, position)))
      if (!chooses) missed = { owner, from: position, upTo, events: own }
      return own
    },
  }
}
export type KeptEvents = ReturnType<typeof createKeptEvents>
