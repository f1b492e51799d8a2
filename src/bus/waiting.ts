// Events that are committed and not published yet, oldest first. Those that NATS has brought back are the first of them.
import type { NatsMessage } from './nats/client.ts'
import { prevHeader } from './nats-subject.ts'
import { bodyOf, indexAfter, type Told } from './told.ts'

export const isSame = (message: NatsMessage, told: Told): boolean => message.body() === bodyOf(told)

/** `head`: everything up to here is published already. */
export const createWaiting = (publish: (told: readonly Told[], upTo: number) => void, head: number) => {
  let events: Told[] = []
  let ready = 0
  /** All up to here was committed. */
  let upTo = head
  /** Position of the newest that was published; undefined: nothing was yet. */
  let newest: number | undefined

  const release = (count: number): void => {
    const told = events.slice(0, count)
    events = events.slice(count)
    newest = told.at(-1)?.position ?? newest
    publish(told, events[0] === undefined ? upTo : events[0].position - 1)
  }

  return {
    /** Everything up to here was committed. */
    upTo: () => upTo,
    all: (): readonly Told[] => events,
    /** How many of them NATS has brought back. */
    ready: () => ready,
    add(told: readonly Told[], committedUpTo: number): void {
      upTo = committedUpTo
      events.push(...told)
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
