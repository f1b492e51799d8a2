// Keeps the events that are committed and not published yet, oldest first. The server sends each event to NATS, and
// publishes it when NATS delivers it back. The first `ready` of the waiting events have come back.
import type { NatsMessage } from './nats/client.ts'
import { prevHeader } from './nats/nats-subject.ts'
import { bodyOf, type Published, positionOf } from './published.ts'
import { indexAfter } from './window.ts'

export const isSame = (message: NatsMessage, event: Published): boolean => message.body() === bodyOf(event)

/** `head`: events up to this position are published already. */
export const createWaiting = (
  publishUpTo: (upTo: number, events: readonly Published[]) => void,
  head: number,
) => {
  let events: Published[] = []
  let ready = 0
  /** The position up to which every event is committed. */
  let upTo = head
  /** The position of the newest published event; undefined: none was published yet. */
  let newest: number | undefined

  const release = (count: number): void => {
    const released = events.slice(0, count)
    events = events.slice(count)
    newest = released.at(-1)?.position ?? newest
    publishUpTo(events[0] === undefined ? upTo : events[0].position - 1, released)
  }

  return {
    /** The position up to which every event is committed. */
    upTo: () => upTo,
    all: (): readonly Published[] => events,
    /** How many of the events in `all` NATS has brought back. */
    ready: () => ready,
    add(committed: readonly Published[], committedUpTo: number): void {
      upTo = committedUpTo
      events.push(...committed)
    },
    /** Whether a waiting event up to this position has not come back from NATS yet. */
    isExpected: (position: number): boolean =>
      position >= (events[ready]?.position ?? Number.POSITIVE_INFINITY),
    /**
     * Takes an expected event from NATS. `gap`: an event before it was lost; `foreign`: the event is not one of ours.
     */
    bring(message: NatsMessage, position: number): 'next' | 'gap' | 'foreign' {
      const found = events[indexAfter(events, position, positionOf) - 1]
      if (found?.position !== position || !isSame(message, found)) return 'foreign'
      const before = events[ready - 1]?.position ?? newest
      const follows = before === undefined || message.header(prevHeader) === String(before)
      if (found !== events[ready] || !follows) return 'gap'
      ready++
      return 'next'
    },
    /** Publishes the events that NATS has brought back, and returns how many they were. */
    releaseReady(): number {
      const count = ready
      ready = 0
      if (count > 0) release(count)
      return count
    },
    releaseAll: () => release(events.length),
  }
}
