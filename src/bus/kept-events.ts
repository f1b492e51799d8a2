// The newest events that were published, kept for subscribers who come back soon.
import { indexAfter, type Published } from './published.ts'
import { chosenBy, type Subscriber } from './subscriber.ts'

const keptAtMost = 4096

/** `head`: everything up to here was there before. */
export const createKeptEvents = (head: number) => {
  let events: Published[] = []
  let from = head
  let upTo = head
  /** What the last one who asked has missed: the next one mostly has missed the same. */
  let missed:
    | { owner: string | undefined; from: number; upTo: number; events: readonly Published[] }
    | undefined

  return {
    /** All events after this position are kept. */
    from: () => from,
    /** All up to this position was published, or was there before. */
    upTo: () => upTo,
    add(published: readonly Published[], publishedUpTo: number): void {
      upTo = publishedUpTo
      events.push(...published)
      if (events.length <= 2 * keptAtMost) return
      events = events.slice(-keptAtMost)
      from = (events[0] as Published).position - 1
    },
    /** Keeps nothing up to a position: nobody is there who could come back. */
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
