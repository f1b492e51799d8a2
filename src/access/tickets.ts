// Tickets: how a browser opens a stream, for an EventSource cannot send a header. A ticket stands for the token that
// asked for it: it must be used within a minute, then serves the reconnects of its own connection until its token ends
// or a day has passed. One that was used is remembered over a restart, as a hash.
import type { Clock, Random } from '../contract/ports.ts'
import type { Principal } from '../contract/token-events.ts'
import type { Secrets } from '../platform/secrets.ts'
import { hashOf, type Principals } from './principals.ts'

const unusedMs = 60_000
const usedMs = 24 * 3600 * 1000

/** `mark` tells the token from another of its id; `commands`: on /ws it may command, where its token may. */
type Ticket = { token: string; mark: string; until: number; used: boolean; commands?: boolean }

/** References of `secrets` that are tickets. */
export const isTicket = (ref: string): boolean => ref.startsWith('ticket_')
const refOf = (ticket: string): string => `ticket_${hashOf(ticket)}`

type Deps = {
  secrets: Secrets
  clock: Clock
  random: Random
  principals: Pick<Principals, 'current' | 'markOf'>
}

export const createTickets = ({ secrets, clock, random, principals }: Deps) => {
  /** Those of this life; the used ones of an earlier life are in the file. */
  const known = new Map<string, Ticket>()
  /** The connection that each ticket has open. */
  const seats = new Map<string, { leave(): void }>()

  const sweep = () => {
    const now = clock.now()
    for (const [ref, { until }] of known) if (until <= now) known.delete(ref)
    for (const ref of secrets.refs().filter(isTicket)) {
      const until = (secrets.get(ref) as Ticket | undefined)?.until ?? 0
      if (until <= now) secrets.forget(ref)
    }
  }
  sweep()

  const find = (ref: string): Ticket | undefined => {
    const ticket = known.get(ref) ?? (secrets.get(ref) as Ticket | undefined)
    return ticket === undefined || ticket.until <= clock.now() ? undefined : ticket
  }

  return {
    /** `expires_in`: seconds within which it must be used. */
    issue({ id }: Principal, commands = false): { ticket: string; expires_in: number } {
      const ticket = `rt_${random.text(32)}`
      sweep()
      const until = clock.now() + unusedMs
      known.set(refOf(ticket), {
        token: id,
        mark: principals.markOf(id),
        until,
        used: false,
        commands,
      })
      return { ticket, expires_in: unusedMs / 1000 }
    },

    /** Who a ticket stands for; undefined: nobody, any more. */
    redeem(text: string): Principal | undefined {
      const ref = refOf(text)
      const ticket = find(ref)
      if (ticket === undefined) return undefined
      if (ticket.mark !== principals.markOf(ticket.token)) return undefined
      const principal = principals.current(ticket.token)
      if (principal === undefined || ticket.used) return principal
      const used = { ...ticket, until: clock.now() + usedMs, used: true }
      secrets.put(ref, used)
      known.set(ref, used)
      return principal
    },

    /** Whether a connection by this ticket is open, which the next one closes. */
    isSeated: (text: string): boolean => seats.has(refOf(text)),

    /** Whether it was asked for to command with. */
    mayCommand: (text: string): boolean => find(refOf(text))?.commands === true,

    /** A connection by a ticket takes the place of the one before. The answer ends it. */
    sit(text: string, leave: () => void): () => void {
      const ref = refOf(text)
      seats.get(ref)?.leave()
      const seat = { leave }
      seats.set(ref, seat)
      return () => {
        if (seats.get(ref) === seat) seats.delete(ref)
      }
    },
  }
}
export type Tickets = ReturnType<typeof createTickets>
