import type { EventLog } from '../log/log.ts'
import { type Published, publishedOf } from './published.ts'

/** Events that are read and not sent yet. At this number, reading the log pauses. */
const queuedAtMost = 4096

/** The public events after a position that are not sent yet. Calls `onMore` when there are more or reading has failed. */
export const unsentAfter = (log: EventLog, from: number, onMore: () => void) => {
  let queue: Published[] = []
  let upTo = from
  let broken: { error: unknown } | undefined
  let makeRoom = () => {}
  const subscription = log.subscribe({ after: from }, events => {
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
     * Returns these events and the position up to which the log was read. Throws the error with which reading failed.
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
