// Keeps all open streams. Once a second, each stream gets a heartbeat if one is due, or is cut if its reader has taken
// nothing for too long or if its token is no longer valid. The streams are looked at in groups, one group after the
// other, so that no turn of the event loop looks at thousands of them or writes hundreds of heartbeats.

import type { Principals } from '../../access/principals.ts'
import type { Tickets } from '../../access/tickets.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { Members } from '../../platform/transient.ts'
import { type Asking, ticketOf } from '../request/auth.ts'

const defaultTickMs = 1000
const heartbeatTicks = 10
/** The first heartbeat of a stream comes fewer than this many ticks early. */
const mostAhead = 5
/** The groups of streams. Each tick is divided evenly between them. */
const groupCount = 10
/**
 * The number of ticks for which a reader may take nothing. Then the stream is cut, and the client can continue from its
 * cursor.
 */
const patienceTicks = 10

/**
 * Why a stream is cut. `slow`: its reader takes nothing. `ended`: its token is no longer valid. `replaced`: its ticket
 * has opened another stream.
 */
export type Cut = 'slow' | 'ended' | 'replaced'

export type OpenStream = {
  /** Sends a comment that keeps the stream open. */
  beat(): void
  isFull(): boolean
  cut(why: Cut): void
}

type Kept = {
  /** The stream calls this when its reader has taken something. */
  drained(): void
  /** The stream calls this when it has closed. */
  closed(): void
}

export const createOpenStreams = (
  { principals, tickets }: { principals: Pick<Principals, 'current'>; tickets: Pick<Tickets, 'sit'> },
  tickMs = defaultTickMs,
) => {
  const groups = Array.from(
    { length: groupCount },
    () => new Members<OpenStream & { tokenId: string; fullFor: number; age: number }>(),
  )
  const lookMs = tickMs / groupCount
  let nextAt = performance.now() + lookMs
  let looks = 0
  let added = 0
  /** Looks at the streams of the next group. */
  const look = () => {
    for (const stream of groups[looks++ % groupCount] ?? []) {
      stream.age++
      const isFull = stream.isFull()
      if (isFull) stream.fullFor++
      const isAllowed = principals.current(stream.tokenId) !== undefined
      if (!isAllowed) stream.cut('ended')
      else if (stream.fullFor > patienceTicks) stream.cut('slow')
      else if (stream.age % heartbeatTicks === 0 && !isFull) stream.beat()
    }
  }
  const timer = setInterval(() => {
    // A call of the timer may be late. Then several looks are due, but never more than those of one tick.
    const now = performance.now()
    for (let n = 0; n < groupCount && nextAt <= now; n++) {
      look()
      nextAt += lookMs
    }
    nextAt = Math.max(nextAt, now)
  }, lookMs)
  timer.unref()

  return {
    /** Adds a stream. A stream that was opened with a ticket replaces the open stream of that ticket. */
    add(request: Asking & { principal: Principal }, stream: OpenStream): Kept {
      // Streams that are opened together get their heartbeats at different ticks. The first heartbeat comes earlier for
      // some of them, but not right after the stream was opened.
      const age = added % mostAhead
      const entry = { ...stream, tokenId: request.principal.id, fullFor: 0, age }
      const ticket = ticketOf(request)
      const leaveSeat = ticket === undefined ? () => {} : tickets.sit(ticket, () => stream.cut('replaced'))
      const group = groups[Math.floor(added++ / mostAhead) % groupCount] as (typeof groups)[number]
      const leave = group.join(entry)
      return {
        drained() {
          entry.fullFor = 0
        },
        closed() {
          leave()
          leaveSeat()
        },
      }
    },
    stop: () => clearInterval(timer),
  }
}
export type OpenStreams = ReturnType<typeof createOpenStreams>
