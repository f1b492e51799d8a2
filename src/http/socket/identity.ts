// Keeps the principal of a connection. A new connection has none; it gets one when it authenticates by token or ticket.
import type { IncomingMessage } from 'node:http'
import { may, roleRefused } from '../../access/roles.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { Refusal } from '../../contract/refusals.ts'
import type { CloseReason } from '../../contract/socket.ts'
import type { Serving } from '../doors.ts'
import { type Asking, authorize, ticketOf } from '../request/auth.ts'
import type { Cut, OpenStream } from '../stream/open-streams.ts'
import { endOfStranger } from './closing.ts'
import type { UnhandledBytes } from './unhandled-bytes.ts'

export type End = (reason: CloseReason, error?: Error, requestId?: string) => void

type Deps = {
  serving: Serving
  /** Milliseconds within which a connection must authenticate. */
  authMs: number
  unhandled: UnhandledBytes
  /** Called when the connection has authenticated. */
  known: () => void
  stream: Omit<OpenStream, 'cut'>
  end: End
}

export type Identity = ReturnType<typeof createIdentity>

export const createIdentity = ({ serving, authMs, unhandled, known, stream, end }: Deps) => {
  let principal: Principal | undefined
  let mayCommand = true
  let kept: ReturnType<Serving['openStreams']['add']> | undefined
  let release = () => {}
  const timer = setTimeout(() => end('unauthenticated', new Refusal('Unauthenticated')), authMs)
  timer.unref()
  const cut = (why: Cut) =>
    why === 'slow' ? end('slow') : end('unauthenticated', new Refusal('Unauthenticated'))

  /**
   * Accepts the principal. Returns false if the user has used up the quota of connections, or if all users together
   * have.
   */
  const enter = (who: Principal, asking: Asking): boolean => {
    const ticket = ticketOf(asking)
    known()
    try {
      release = serving.quotas.openSocket(who, ticket !== undefined && serving.tickets.isSeated(ticket))
    } catch (error) {
      end('tryLater', error as Error)
      return false
    }
    clearTimeout(timer)
    principal = who
    unhandled.moveTo(who)
    mayCommand = ticket === undefined || serving.tickets.mayCommand(ticket)
    kept = serving.openStreams.add({ ...asking, principal: who }, { ...stream, cut })
    return true
  }

  return {
    /** The principal; undefined if the connection has not authenticated yet. */
    principal: () => principal,
    /** Returns false if the connection authenticated with a ticket that only allows subscriptions. */
    mayCommand: () => mayCommand,
    /**
     * Authenticates the connection by the headers of the request or by its ticket. A client that sends neither must
     * authenticate in a message.
     */
    enterBy(request: IncomingMessage): void {
      const asking = askingOf(request)
      if (asking.headers.authorization === undefined && asking.query.ticket === undefined) return
      try {
        enter(authorize(asking, 'follow', serving), asking)
        if (ticketOf(asking) !== undefined)
          serving.tickets.stored().catch(error => end('goingDown', error as Error))
      } catch (error) {
        end(endOfStranger(error), error as Error)
      }
    },
    /**
     * Authenticates the connection by the token of a message. Returns undefined if there are too many connections.
     * Throws Unauthenticated or Forbidden.
     */
    enterWith(token: string): Principal | undefined {
      const who = serving.principals.authenticate(token)
      if (who === undefined) throw new Refusal('Unauthenticated')
      if (!may(who.role, 'follow')) throw roleRefused(who.role, 'follow')
      return enter(who, { headers: {}, query: {}, method: 'GET' }) ? who : undefined
    },
    /** The connection calls this when the client has read something. */
    drained: () => kept?.drained(),
    /** The connection calls this when it ends. */
    close(): void {
      clearTimeout(timer)
      kept?.closed()
    },
    /** The connection calls this when it has closed. Then the quota no longer counts it. */
    release: () => release(),
  }
}

/** The parts of the opening request that can hold credentials: its headers and its query. */
const askingOf = ({ headers, url = '' }: IncomingMessage) => {
  const ticket = new URLSearchParams(url.split('?', 2)[1]).get('ticket') ?? undefined
  return { headers, query: { ticket }, method: 'GET' }
}
