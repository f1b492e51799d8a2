// A browser opens a stream with a ticket, because an EventSource cannot send headers. A ticket acts for the token that
// requested it. It must be used within a minute. Then a client may reconnect with the ticket until the token expires or
// is revoked, or a day has passed. Used tickets stay valid after a restart. Only their hashes are stored.

import type { Principal } from '../contract/events/token-events.ts'
import type { Clock, Random } from '../contract/ports.ts'
import type { Secrets } from '../platform/secrets.ts'
import { hashOf, type Principals } from './principals.ts'

const unusedMs = 60_000
const usedMs = 24 * 3600 * 1000

/**
 * `mark` distinguishes tokens with the same id. `commands`: on /ws a client with the ticket may send the commands that
 * the ticket's token allows.
 */
type Ticket = { token: string; mark: string; until: number; used: boolean; commands: boolean }

/** Whether a reference in the secrets file belongs to a ticket. */
export const isTicket = (ref: string): boolean => ref.startsWith('ticket_')
const refOf = (ticket: string): string => `ticket_${hashOf(ticket)}`

type Deps = {
  secrets: Secrets
  clock: Clock
  random: Random
  principals: Pick<Principals, 'current' | 'markOf'>
}

export const createTickets = ({ secrets, clock, random, principals }: Deps) => {
  /**
   * The tickets that were made since the start of the server. Used tickets from before the start are in the secrets
   * file.
   */
  const known = new Map<string, Ticket>()
  /** The open connection of each ticket. */
  const seats = new Map<string, { replaced(): void }>()

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
    /** Makes a ticket. `expires_in` is the number of seconds within which the ticket must be used. */
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

    /** Resolves when used tickets are stored. Then they stay valid, even if this process ends. */
    stored: secrets.stored,

    /** Uses a ticket and returns its principal; undefined if the ticket is unknown or no longer valid. */
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

    /** Whether a connection of this ticket is open. The next connection of the ticket will close it. */
    isSeated: (text: string): boolean => seats.has(refOf(text)),

    /** Whether the ticket was requested for commands. */
    mayCommand: (text: string): boolean => find(refOf(text))?.commands === true,

    /**
     * Registers a connection, and closes the earlier connection of the ticket. The returned function removes the
     * connection.
     */
    sit(text: string, replaced: () => void): () => void {
      const ref = refOf(text)
      seats.get(ref)?.replaced()
      const seat = { replaced }
      seats.set(ref, seat)
      return () => {
        if (seats.get(ref) === seat) seats.delete(ref)
      }
    },
  }
}
export type Tickets = ReturnType<typeof createTickets>
