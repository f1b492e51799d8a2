import type { EventLog } from '../log/log.ts'
import { type Published, publishedOf } from './published.ts'

/** Read and not sent yet: when there are so many, the log is not read further. */
const queuedAtMost = 4096

/** The public events after a position that are not sent yet. Calls `onMore` when there are more, or when reading failed. */
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
    /** All of them, and the position up to which the log was read. Throws what the log could not be read for. */
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
