// The principal of a connection: none when it opens, then that of a token or of a ticket.
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../../contract/refusals.ts'
import type { CloseReason } from '../../contract/socket.ts'
import type { Principal } from '../../contract/token-events.ts'
import { type Asking, authorize, ticketOf } from '../auth.ts'
import type { Serving } from '../doors.ts'
import type { Cut, OpenStream } from '../open-streams.ts'
import type { Intake } from './intake.ts'

export type End = (reason: CloseReason, error?: Error, requestId?: string) => void

type Deps = {
  serving: Serving
  /** Milliseconds in which a connection must authenticate. */
  authMs: number
  intake: Intake
  /** Called when the connection has authenticated. */
  known: () => void
  stream: Omit<OpenStream, 'cut'>
  end: End
}

export type Identity = ReturnType<typeof createIdentity>

export const createIdentity = ({ serving, authMs, intake, known, stream, end }: Deps) => {
  let principal: Principal | undefined
  let mayCommand = true
  let kept: ReturnType<Serving['openStreams']['add']> | undefined
  let release = () => {}
  const timer = setTimeout(() => end('unauthenticated', new Refusal('Unauthenticated')), authMs)
  timer.unref()
  const cut = (why: Cut) =>
    why === 'slow' ? end('slow') : end('unauthenticated', new Refusal('Unauthenticated'))

  /** False when the user, or all users together, have as many connections as they may. */
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
    intake.moveTo(who)
    mayCommand = ticket === undefined || serving.tickets.mayCommand(ticket)
    kept = serving.openStreams.add({ ...asking, principal: who }, { ...stream, cut })
    return true
  }

  return {
    /** Undefined: the connection has not authenticated yet. */
    principal: () => principal,
    /** False: the connection authenticated with a ticket that only follows. */
    mayCommand: () => mayCommand,
    /**
     * Authenticates by the headers of the request or by its ticket. A client that sends neither authenticates in a
     * message.
     */
    enterBy(request: IncomingMessage): void {
      const asking = askingOf(request)
      if (asking.headers.authorization === undefined && asking.query.ticket === undefined) return
      try {
        enter(authorize(asking, 'follow', serving), asking)
      } catch (error) {
        end('unauthenticated', error as Error)
      }
    },
    /** Authenticates by the token of a message. Undefined: there are too many connections. Throws Unauthenticated. */
    enterWith(token: string): Principal | undefined {
      const who = serving.principals.authenticate(token)
      if (who === undefined) throw new Refusal('Unauthenticated')
      return enter(who, { headers: {}, query: {}, method: 'GET' }) ? who : undefined
    },
    /** Called when the client has read something. */
    drained: () => kept?.drained(),
    /** Called when the connection ends. */
    leave(): void {
      clearTimeout(timer)
      kept?.leave()
    },
    /** Called when the connection has closed: it no longer counts. */
    release: () => release(),
  }
}

/** The credentials of the request that opens the connection: its headers or its ticket. */
const askingOf = ({ headers, url = '' }: IncomingMessage) => {
  const ticket = new URLSearchParams(url.split('?', 2)[1]).get('ticket') ?? undefined
  return { headers, query: { ticket }, method: 'GET' }
}
