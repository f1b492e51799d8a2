// One-time links to the console. The ticket in a link is exchanged once, within a minute, for a token of an
// administrator. Tickets are only in memory: after a restart the operator asks for a new link.

import type { Principal } from '../contract/events/token-events.ts'
import type { Clock, Random } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import { hashOf, type Principals } from './principals.ts'

const ticketMs = 60_000
/** How long a token that a link gave is valid. */
const tokenSeconds = 12 * 3600

/** What the list of tokens calls it. */
const tokenName = 'One-time link to the console'

type Login = { token: string; mark: string; until: number }

const words =
  'this link was used before, or is older than a minute: get a new one with `reprise console`, or paste a token'

type Deps = { clock: Clock; random: Random; principals: Pick<Principals, 'current' | 'markOf' | 'create'> }

export const createLogins = ({ clock, random, principals }: Deps) => {
  /** The tickets that nobody has used, by their hashes. */
  const open = new Map<string, Login>()
  const sweep = () => {
    for (const [hash, { until }] of open) if (until <= clock.now()) open.delete(hash)
  }

  /** Removes a ticket, and returns the principal that requested it; undefined if the ticket or its token is invalid. */
  const redeem = (ticket: string): Principal | undefined => {
    const hash = hashOf(ticket)
    const login = open.get(hash)
    open.delete(hash)
    if (login === undefined || login.until <= clock.now()) return undefined
    return login.mark === principals.markOf(login.token) ? principals.current(login.token) : undefined
  }

  return {
    /** Makes a ticket. `expires_in` is the number of seconds within which it must be used. */
    issue({ id }: Pick<Principal, 'id'>): { ticket: string; expires_in: number } {
      sweep()
      const ticket = `rl_${random.text(32)}`
      open.set(hashOf(ticket), { token: id, mark: principals.markOf(id), until: clock.now() + ticketMs })
      return { ticket, expires_in: ticketMs / 1000 }
    },

    /**
     * Exchanges a ticket for an admin token of 12 hours, which acts for the same user as the token that asked for the
     * ticket, or for all users. Throws Unauthenticated.
     */
    async login(ticket: string, causation: string) {
      const by = redeem(ticket)
      if (by === undefined) throw new Refusal('Unauthenticated', undefined, words)
      const { userId } = by
      const fields = { role: 'admin', name: tokenName, userId, ttlSeconds: tokenSeconds } as const
      const made = await principals.create(fields, { principal: by.id, causation })
      return { ...made, role: fields.role, name: fields.name, userId }
    },
  }
}
export type Logins = ReturnType<typeof createLogins>
