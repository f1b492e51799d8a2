// Opens the WebSockets of workers at /v1/workers. A worker authenticates by a header or, where it can set none, by its
// first message. Then everything that it says goes to its line.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { may, roleRefused } from '../../access/roles.ts'
import { longestMessage } from '../../contract/agent-protocol.ts'
import type { Principal } from '../../contract/events/token-events.ts'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import { type CloseReason, closeCodes } from '../../contract/socket.ts'
import { Members } from '../../platform/transient.ts'
import { everyAnswerLines } from '../answer/head.ts'
import { wholeAnswer } from '../answer/whole-answer.ts'
import type { BodyBudget } from '../body/budget.ts'
import { parseJson } from '../body/json.ts'
import type { AgentDoor, Gate, Serving } from '../doors.ts'
import { authorize } from '../request/auth.ts'
import type { Origins } from '../server/origins.ts'
import { endOfStranger } from './closing.ts'
import { createUnhandledBytes } from './unhandled-bytes.ts'
import { closeWords, errorText } from './words.ts'
import { createWorkerInbox } from './worker-inbox.ts'

export type WorkerLimits = {
  /** The most connections of workers. */
  connections: number
  /** The most of them that have not authenticated yet. Workers that authenticate by a header do not count. */
  unknown: number
}
const defaultLimits: WorkerLimits = { connections: 10_000, unknown: 1000 }
/** A worker must authenticate within this many milliseconds, and with a first message of at most this many bytes. */
const authMs = 10_000
const longestToken = 8 * 1024
/** Control frames of an idle worker are shorter than this many bytes together, and no part of a message. */
const idleBytes = 1024
/** The greatest length of the reason in a close frame, in bytes. */
const longestReason = 120

const options = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: longestMessage,
  closeTimeout: 1000,
}
/** The close code for a worker that broke the protocol or sent too much. */
const policyCode = 1008
/** The close codes of a worker that could not take a message of the server. */
const faultCodes = [1002, 1003, 1007, 1009]

type Deps = {
  serving: Serving
  gate: Pick<Gate, 'loop' | 'requests'>
  workers: Pick<AgentDoor, 'connect'>
  origins: Origins
  budget: BodyBudget
  limits?: WorkerLimits
}
export type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

const reasonOf = (why: string): string =>
  Buffer.from(why)
    .subarray(0, longestReason)
    .toString()
    .replace(/\ufffd$/, '')

export const openWorkerDoor = ({
  serving,
  gate,
  workers,
  origins,
  budget,
  limits = defaultLimits,
}: Deps): TakeUpgrade => {
  const wss = new WebSocketServer(options)
  const open = new Members<WebSocket>()
  const unknown = new Members<WebSocket>()

  /** The principal by the header; undefined: there is none. Throws Refusal. */
  const principalOf = ({ headers }: IncomingMessage): Principal | undefined => {
    const { origin, host, authorization } = headers
    if (origin !== undefined && !origins.mayConnect(origin, host))
      throw new Refusal('Forbidden', undefined, 'this origin may not connect')
    if (open.size >= limits.connections) throw new Refusal('Busy')
    if (authorization === undefined) {
      if (unknown.size >= limits.unknown) throw new Refusal('Busy')
      return undefined
    }
    return authorize({ headers, query: {}, method: 'GET' }, 'work', serving)
  }
  /** The principal by the first message. Throws Refusal. */
  const principalIn = (message: unknown): Principal => {
    const { type, token } = (message ?? {}) as { type?: unknown; token?: unknown }
    const who = type === 'auth' && typeof token === 'string' && serving.principals.authenticate(token)
    if (!who) throw new Refusal('Unauthenticated')
    if (!may(who.role, 'work')) throw roleRefused(who.role, 'work')
    return who
  }

  const admit = (ws: WebSocket, socket: Duplex, known: Principal | undefined): void => {
    const since = performance.now()
    gate.requests.begin('/v1/workers')
    const leaves = [open.join(ws)]
    let principal: Principal | undefined
    let line: ReturnType<AgentDoor['connect']> | undefined
    let hasSpoken = false
    const unhandled = createUnhandledBytes(budget)

    const inbox = createWorkerInbox(ws, {
      inTurn: async length => {
        const user = principal?.userId
        if (user !== undefined) await gate.loop.enter(user, length)
      },
      emptied: unhandled.giveBack,
    })

    const close = (reason: CloseReason, error?: unknown) => {
      inbox.stop()
      if (error !== undefined) ws.send(errorText(error, undefined, serving))
      ws.close(closeCodes[reason], closeWords[reason])
    }
    /** Closes the connection, and throws away what still arrives. */
    const refuse = (reason: CloseReason, refusal: Refusal) => {
      close(reason, refusal)
      socket.removeAllListeners('data')
      socket.resume()
    }
    const timer = setTimeout(() => close('unauthenticated', new Refusal('Unauthenticated')), authMs)
    timer.unref()
    const leaveUnknown = known === undefined ? unknown.join(ws) : () => {}
    leaves.push(leaveUnknown, () => clearTimeout(timer), unhandled.giveBack)

    const enter = (who: Principal): void => {
      clearTimeout(timer)
      leaveUnknown()
      leaves.push(serving.quotas.openSocket(who, false))
      principal = who
      unhandled.moveTo(who)
      const cut = () => close('unauthenticated', new Refusal('Unauthenticated'))
      const kept = serving.openStreams.add(
        { headers: {}, query: {}, method: 'GET', principal: who },
        { beat: () => {}, isFull: () => false, cut },
      )
      leaves.push(kept.closed)
      line = workers.connect(who.userId, {
        send: text => ws.send(text),
        unsent: () => ws.bufferedAmount,
        pause: inbox.pause,
        resume: inbox.resume,
        ping: () => ws.ping(),
        cut(why) {
          if (serving.stopping.aborted) close('goingDown')
          else {
            inbox.stop()
            ws.close(policyCode, reasonOf(why))
          }
        },
      })
    }
    const take = (data: Buffer): void => {
      try {
        if (line !== undefined) line.hear(data)
        else enter(principalIn(parseJson(data)))
      } catch (error) {
        if (error instanceof Invalid) close('unauthenticated', new Refusal('Unauthenticated'))
        else if (error instanceof Refusal)
          close(error.reason === 'OverQuota' ? 'tryLater' : endOfStranger(error), error)
        else {
          serving.fault(error, { request_id: serving.newId(), route: '/v1/workers' })
          close('tryLater')
        }
      }
    }
    ws.on('message', (data, isBinary) => {
      if (isBinary && line === undefined) return refuse('unauthenticated', new Refusal('Unauthenticated'))
      if (isBinary) return line?.unreadable('a binary message')
      const isFirst = !hasSpoken
      hasSpoken = true
      inbox.add(data as Buffer, take)
      // What follows the first message is read when the worker has authenticated.
      if (isFirst && line === undefined) ws.pause()
    })
    const idle = () => {
      if (unhandled.bytes() < idleBytes) unhandled.giveBack()
    }
    ws.on('ping', idle).on('pong', idle)
    socket.on('data', (chunk: Buffer) => {
      line?.heard()
      const fits = unhandled.take(chunk.length)
      if (!fits) refuse('tryLater', budget.refusal())
      else if (!hasSpoken && line === undefined && unhandled.bytes() > longestToken)
        refuse('unauthenticated', new Refusal('Unauthenticated'))
    })
    ws.on('error', error => line?.unreadable(error.message))
    ws.once('close', code => {
      line?.leaves()
      inbox.end(() => {
        line?.closed(faultCodes.includes(code))
        for (const leave of leaves) leave()
        const seconds = (performance.now() - since) / 1000
        gate.requests.end({ method: 'GET', route: '/v1/workers', status: 101 }, seconds)
      })
    })
    if (known === undefined) return
    try {
      enter(known)
    } catch (error) {
      close('tryLater', error)
    }
  }

  wss.on('headers', headers => headers.push(...everyAnswerLines))
  wss.on('wsClientError', ({ message }, socket) =>
    socket.end(wholeAnswer(new Refusal('BadHandshake', undefined, message), serving)),
  )
  return (request, socket, head) => {
    let known: Principal | undefined
    try {
      known = principalOf(request)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return void socket.end(wholeAnswer(error, serving))
    }
    wss.handleUpgrade(request, socket, head, ws => admit(ws, socket, known))
  }
}
