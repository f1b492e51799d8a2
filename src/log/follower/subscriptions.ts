// Keeps all readers that follow the log, or one stream of the log. A commit is handed directly to the readers that have
// everything before it. The other readers are still reading older events, and read this commit later.

import type { Recorded } from '../../contract/stored.ts'
import { TransientMap } from '../../platform/transient.ts'
import type { Pages } from '../reading.ts'
import { createFollower, type Follower, type Handler, type Subscription } from './follower.ts'

export type SubscribeRequest = {
  /** The reader begins after this position; with a stream, after this revision of the stream. */
  after: number
  stream?: string
  /** Whether the stream does not exist yet, so that there is nothing to read first. */
  isNew?: boolean
  /** Awaited before each page is read. */
  beforeRead?: () => void | Promise<void>
  /** Whether new commits are also read in pages, after `beforeRead`, instead of being handed over directly. */
  inPages?: boolean
}
/**
 * Hands over every event after a position: stored events in pages, then each commit. A reader that waits for a commit
 * gets it before the callers of the commit get their answers. They do not wait for a promise that the handler returns.
 */
export type Subscribe = (request: SubscribeRequest, handle: Handler<Recorded>) => Subscription

/**
 * The largest number of events that are kept for a reader while its handler works. It is enough for a burst of one
 * task.
 */
const keptAtMost = 64

type Reader = { follower: Follower<Recorded>; inPages: boolean }

const byStream = (events: readonly Recorded[], followed: { has(stream: string): boolean }) => {
  const groups = new Map<string, Recorded[]>()
  for (const event of events) {
    const { stream } = event.header
    if (!followed.has(stream)) continue
    const own = groups.get(stream)
    if (own === undefined) groups.set(stream, [event])
    else own.push(event)
  }
  return groups
}

/** `head`: the last committed position. Readers get no event after this position. */
export const createSubscriptions = (pages: Pages, head: () => number) => {
  const ofAll = new Set<Reader>()
  const ofStream = new TransientMap<string, Set<Reader>>()

  const upToHead = (events: readonly Recorded[], end: number): readonly Recorded[] =>
    (events.at(-1)?.position ?? 0) > end ? events.filter(({ position }) => position <= end) : events
  const readAll = (after: number) => {
    const end = head()
    const items = upToHead(pages.page(after), end)
    const upTo = items.at(-1)?.position ?? after
    return { items, upTo, isLast: upTo >= end }
  }
  const readStream = (stream: string, after: number) => {
    const { events, isLast } = pages.streamPage(stream, after)
    const items = upToHead(events, head())
    const upTo = items.at(-1)?.header.revision ?? after
    return { items, upTo, isLast: isLast || items.length < events.length }
  }
  const join = (reader: Reader, stream: string | undefined) => {
    if (stream === undefined) return void ofAll.add(reader)
    const here = ofStream.get(stream) ?? new Set()
    ofStream.set(stream, here.add(reader))
  }
  const leave = (reader: Reader, stream: string | undefined) => {
    if (stream === undefined) return void ofAll.delete(reader)
    const here = ofStream.get(stream)
    here?.delete(reader)
    if (here?.size === 0) ofStream.delete(stream)
  }
  const handOver = (
    { follower, inPages }: Reader,
    events: readonly Recorded[],
    from: number,
    upTo: number,
  ) => {
    if (inPages) follower.lookAgain()
    else follower.hear(events, from, upTo)
  }

  return {
    publish(events: readonly Recorded[]): void {
      const [first, last] = [events[0], events.at(-1)]
      if (first === undefined || last === undefined) return
      for (const reader of ofAll) handOver(reader, events, first.position - 1, last.position)
      if (ofStream.size === 0) return
      for (const [stream, own] of byStream(events, ofStream)) {
        const from = (own[0]?.header.revision ?? 0) - 1
        const upTo = own.at(-1)?.header.revision ?? from
        for (const reader of ofStream.get(stream) ?? []) handOver(reader, own, from, upTo)
      }
    },
    /** Makes all readers look for stored events again, since more may be stored than was published. */
    lookAgain(): void {
      for (const { follower } of ofAll) follower.lookAgain()
      for (const here of ofStream.values()) for (const { follower } of here) follower.lookAgain()
    },
    subscribe: (({ stream, after, isNew, beforeRead, inPages = false }, handle) => {
      const reader: Reader = {
        inPages,
        follower: createFollower<Recorded>({
          after,
          hasAll: isNew ?? (stream === undefined && after >= head()),
          read: from => (stream === undefined ? readAll(from) : readStream(stream, from)),
          handle,
          beforeRead,
          keptAtMost,
          onEnd: () => leave(reader, stream),
        }),
      }
      join(reader, stream)
      return reader.follower.subscription
    }) satisfies Subscribe,
  }
}
