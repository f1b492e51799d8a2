// Every stream that is open: looked at once a second, for comments that keep it open, for readers that take nothing,
// and for tokens that have ended.

import type { Principals } from '../access/principals.ts'
import type { Tickets } from '../access/tickets.ts'
import type { Principal } from '../contract/token-events.ts'
import { type Asking, ticketOf } from './auth.ts'

const usualTickMs = 1000
const heartbeatTicks = 10
/** Who has taken nothing for so long is cut: it comes back from its cursor. */
const patienceTicks = 10

/** Why a stream is cut: its reader takes nothing, its token has ended, or its ticket serves another one. */
export type Cut = 'slow' | 'ended' | 'replaced'

export type OpenStream = {
  /** Sends a comment. */
  beat(): void
  isFull(): boolean
  cut(why: Cut): void
}

type Kept = {
  /** It took something. */
  drained(): void
  /** It has closed. */
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
    /** A stream by a ticket takes the place of the one that the ticket had open. */
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
