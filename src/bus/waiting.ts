// Events that are committed and not published yet, oldest first. Those that NATS has brought back are the first of them.
import type { NatsMessage } from './nats/client.ts'
import { prevHeader } from './nats-subject.ts'
import { bodyOf, indexAfter, type Published } from './published.ts'

export const isSame = (message: NatsMessage, event: Published): boolean => message.body() === bodyOf(event)

/** `head`: everything up to here is published already. */
export const createWaiting = (
  publishUpTo: (upTo: number, events: readonly Published[]) => void,
  head: number,
) => {
  let events: Published[] = []
  let ready = 0
  /** All up to here was committed. */
  let upTo = head
  /** Position of the newest that was published; undefined: nothing was yet. */
  let newest: number | undefined

  const release = (count: number): void => {
    const released = events.slice(0, count)
    events = events.slice(count)
    newest = released.at(-1)?.position ?? newest
    publishUpTo(events[0] === undefined ? upTo : events[0].position - 1, released)
  }

  return {
    /** Everything up to here was committed. */
    upTo: () => upTo,
    all: (): readonly Published[] => events,
    /** How many of them NATS has brought back. */
    ready: () => ready,
    add(committed: readonly Published[], committedUpTo: number): void {
      upTo = committedUpTo
      events.push(...committed)
    },
    /** Whether an event at this position is expected from NATS, and was not brought yet. */
    isExpected: (position: number): boolean =>
      position >= (events[ready]?.position ?? Number.POSITIVE_INFINITY),
    /** NATS brings an expected event. `gap`: not the one that comes next, so one was lost; `foreign`: not one of ours. */
    bring(message: NatsMessage, position: number): 'next' | 'gap' | 'foreign' {
      const found = events[indexAfter(events, position) - 1]
      if (found?.position !== position || !isSame(message, found)) return 'foreign'
      const before = events[ready - 1]?.position ?? newest
      const follows = before === undefined || message.header(prevHeader) === String(before)
      if (found !== events[ready] || !follows) return 'gap'
      ready++
      return 'next'
    },
    /** Publishes what NATS has brought back; the answer: how many these were. */
    releaseReady(): number {
      const count = ready
      ready = 0
      if (count > 0) release(count)
      return count
    },
    releaseAll: () => release(events.length),
  }
}
