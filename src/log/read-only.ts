// Opens a log for reading, whether a server writes to it meanwhile or not. Nothing in it can be changed.
import { DamagedEvent, type Log } from '../contract/stored.ts'
import { openReads } from './chosen-storage.ts'
import { openPayload } from './decode.ts'
import { createSubscriptions, type Subscribe } from './follower/subscriptions.ts'
import { createPages, createReading } from './reading.ts'
import { createSessionReading } from './session-reading.ts'
import type { LogReads } from './storage.ts'
import type { Store } from './store.ts'

export type ReadOnlyLog = Log &
  Pick<LogReads, 'firstHole'> & {
    id: string
    /** The id of every stream, in order of creation, also of streams that are created meanwhile. */
    streams(): AsyncGenerator<string>
    /** Hands over past events, then new ones: the log is checked for new events every 100 ms until `close`. */
    subscribe: Subscribe
    close(): Promise<void>
  }

/** The number of streams in one read of `streams`. */
const pageStreams = 1000
/** Milliseconds between two checks for new events, while a reader follows the log. */
const lookMs = 100

/** Opens a log for reading. Its head moves when another process appends. Throws CannotStart. */
export const openLogReadOnly = (place: string): ReadOnlyLog => {
  const reads = openReads(place)
  const { head } = reads
  /** Opens long payloads in this thread, since this process only reads, and no other caller waits for it. */
  const openLong: Store['openLong'] = async (position, salt) => {
    const text = reads.longPayload(position)
    if (text === undefined) throw new DamagedEvent(position, 'has no payload')
    return openPayload(position, salt, text)
  }
  const store = { ...reads, openLong }
  const never = () => Promise.reject(new Error('the log was opened for reading'))

  const pages = createPages(store, head)
  const subscriptions = createSubscriptions(pages, head)
  let looking: NodeJS.Timeout | undefined

  return {
    ...createReading(store, head, pages),
    ...createSessionReading(store, head),
    subscribe(request, handle) {
      looking ??= setInterval(subscriptions.lookAgain, lookMs)
      return subscriptions.subscribe(request, handle)
    },
    append: never,
    complete: async () => {},
    revisionOf: stream => reads.headOf(stream)?.revision ?? -1,
    head,
    leafAt: reads.leafAt,
    id: reads.logId(),
    async *streams() {
      for (let after = 0; ; ) {
        const streams = await reads.streamsAfter(after, pageStreams)
        for (const { id } of streams) yield id
        if (streams.length < pageStreams) return
        after = streams.at(-1)?.no ?? after
      }
    },
    firstHole: reads.firstHole,
    async close() {
      clearInterval(looking)
      await reads.close()
    },
  }
}
