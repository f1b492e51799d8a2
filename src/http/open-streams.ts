// All open streams. Each is checked once a second: for a heartbeat that keeps it open, for a reader that takes nothing,
// and for a token that has ended.

import type { Principals } from '../access/principals.ts'
import type { Tickets } from '../access/tickets.ts'
import type { Principal } from '../contract/token-events.ts'
import { type Asking, ticketOf } from './auth.ts'

const usualTickMs = 1000
const heartbeatTicks = 10
/** Ticks after which a stream is cut whose reader has taken nothing. Its client can continue from its cursor. */
const patienceTicks = 10

/** Why a stream is cut: its reader takes nothing, its token has ended, or its ticket serves another stream. */
export type Cut = 'slow' | 'ended' | 'replaced'

export type OpenStream = {
  /** Sends a comment that keeps the stream open. */
  beat(): void
  isFull(): boolean
  cut(why: Cut): void
}

type Kept = {
  /** Called when the reader has taken something. */
  drained(): void
  /** Called when the stream has closed. */
  leave(): void
}

export const createOpenStreams = (
  { principals, tickets }: { principals: Pick<Principals, 'current'>; tickets: Pick<Tickets, 'sit'> },
  tickMs = usualTickMs,
) => {
  const open = new Set<OpenStream & { tokenId: string; fullFor: number }>()
  let ticks = 0
  const timer = setInterval(() => {
    ticks++
    for (const stream of open) {
      const isFull = stream.isFull()
      if (isFull) stream.fullFor++
      const isAllowed = principals.current(stream.tokenId) !== undefined
      if (!isAllowed) stream.cut('ended')
      else if (stream.fullFor > patienceTicks) stream.cut('slow')
      else if (ticks % heartbeatTicks === 0 && !isFull) stream.beat()
    }
  }, tickMs)
  timer.unref()

  return {
    /** Adds a stream. One by a ticket replaces the open stream of the same ticket. */
    add(request: Asking & { principal: Principal }, stream: OpenStream): Kept {
      const entry = { ...stream, tokenId: request.principal.id, fullFor: 0 }
      const ticket = ticketOf(request)
      const leaveSeat = ticket === undefined ? () => {} : tickets.sit(ticket, () => stream.cut('replaced'))
      open.add(entry)
      return {
        drained() {
          entry.fullFor = 0
        },
        leave() {
          open.delete(entry)
          leaveSeat()
        },
      }
    },
    stop: () => clearInterval(timer),
  }
}
export type OpenStreams = ReturnType<typeof createOpenStreams>
