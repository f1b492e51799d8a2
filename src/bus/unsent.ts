import type { PublicEvent } from '../contract/events/public-events.ts'
import type { Pause } from '../fairness/slices.ts'
import type { EventLog } from '../log/log.ts'
import { type Published, publishedOf } from './published.ts'

/** When this many events are read and not sent yet, reading the log pauses. */
const queuedAtMost = 4096

/**
 * Reads the public events after a position. Calls `onMore` when there are more events to send, and when reading has
 * failed. `pause` is awaited before each page of stored events.
 */
export const unsentAfter = (log: EventLog, from: number, onMore: () => void, pause: Pause) => {
  let queue: Published<PublicEvent>[] = []
  let upTo = from
  let broken: { error: unknown } | undefined
  let makeRoom = () => {}
  const subscription = log.subscribe({ after: from, beforeRead: pause }, events => {
    queue.push(...publishedOf(events))
    upTo = events.at(-1)?.position ?? upTo
    onMore()
    if (queue.length < queuedAtMost) return
    return new Promise<void>(resolve => {
      makeRoom = resolve
    })
  })
  subscription.done.catch(error => {
    broken = { error }
    onMore()
  })
  return {
    /**
     * Returns the events that were read since the last call, and the position up to which the log was read. Throws the
     * error with which reading has failed.
     */
    take() {
      if (broken !== undefined) throw broken.error
      const events = queue
      queue = []
      makeRoom()
      return { events, upTo }
    },
    stop(): void {
      makeRoom()
      void subscription.stop()
    },
  }
}
