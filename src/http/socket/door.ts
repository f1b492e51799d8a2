// Opens WebSockets at /ws, and at /v1/workers for workers. The server ignores any other request to change the protocol, as HTTP allows it to. Some
// clients ask for another version of HTTP in their first request, and these requests must be answered normally.

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { Refusal } from '../../contract/refusals.ts'
import { type CloseReason, closeCodes } from '../../contract/socket.ts'
import { Members } from '../../platform/transient.ts'
import { everyAnswerLines } from '../answer/head.ts'
import { wholeAnswer } from '../answer/whole-answer.ts'
import type { BodyBudget } from '../body/budget.ts'
import type { AgentDoor, Gate } from '../doors.ts'
import type { Admission } from '../request/admission.ts'
import type { App } from '../request/request.ts'
import { route } from '../route.ts'
import { createTaskCalls } from '../routes/task-calls.ts'
import { createOrigins } from '../server/origins.ts'
import { isWebSocket, passOver, pathOfRequest, workerPath } from '../server/upgrade.ts'
import { type Connection, openConnection } from './connection.ts'
import type { SocketDeps } from './connection-deps.ts'
import { createEventEncoder } from './event-channels.ts'
import { defaultInbox, type InboxLimits } from './inbox.ts'
import { createMessageReader } from './read-message.ts'
import { closeWords, errorText } from './words.ts'
import { openWorkerDoor } from './worker-door.ts'

export type SocketLimits = {
  connections: number
  /** The most open connections that have not authenticated yet. */
  unknown: number
  inbox: InboxLimits
  authMs: number
}
export const defaultLimits: SocketLimits = {
  connections: 10_000,
  unknown: 1000,
  inbox: defaultInbox,
  authMs: 10_000,
}

const nameOrigin = 'Ask the operator to name the origin in ALLOWED_ORIGINS.'

/** A refused handshake says which version of the protocol the server speaks. */
const version = { 'Sec-WebSocket-Version': '13' }

const options = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: 1024 * 1024,
  // The limit of fragments in a message: each fragment costs more than its bytes.
  maxFragments: 1024,
  maxBufferedChunks: 16 * 1024,
  /** Milliseconds from the server's close frame until the server ends the connection. */
  closeTimeout: 1000,
}

/** Opens /ws and /v1/workers on `server`, which receives the requests. */
export const openSocketDoor = (
  server: Server,
  deps: SocketDeps & { gate: Pick<Gate, 'loop'>; agents: Pick<AgentDoor, 'connect'> },
  budget: BodyBudget,
  admission: Admission,
  limits: SocketLimits = defaultLimits,
): void => {
  const { requests, allowedOrigins } = deps.gate
  const { serving } = deps
  const { stopping, publicUrl } = serving
  const wss = new WebSocketServer(options)
  const origins = createOrigins(allowedOrigins, publicUrl?.origin)
  const { mayConnect } = origins
  const takeWorker = openWorkerDoor({ serving, gate: deps.gate, workers: deps.agents, origins, budget })
  const open = new Members<Connection>()
  const unknown = new Members<WebSocket>()
  const door = {
    deps,
    calls: createTaskCalls(deps.tasks),
    read: createMessageReader(),
    encode: createEventEncoder(),
    budget,
    admission,
    inbox: limits.inbox,
    authMs: limits.authMs,
    count: requests.message,
  }

  const refusalOf = ({ headers: { origin, host } }: IncomingMessage): [CloseReason, Refusal] | undefined => {
    if (origin !== undefined && !mayConnect(origin, host)) {
      return [
        'forbidden',
        new Refusal('Forbidden', undefined, 'this origin may not connect', { hint: nameOrigin }),
      ]
    }
    return open.size >= limits.connections ? ['tryLater', new Refusal('Busy')] : undefined
  }

  const admit = (ws: WebSocket, socket: Duplex, request: IncomingMessage): void => {
    const refusal = refusalOf(request)
    if (refusal !== undefined) {
      const [reason, error] = refusal
      ws.on('error', () => {})
      ws.send(errorText(error, undefined, serving))
      ws.close(closeCodes[reason], closeWords[reason])
      return
    }
    const since = performance.now()
    requests.begin('/ws')
    let isKnown = false
    let leave = () => {}
    let leaveUnknown = () => {}
    const connection = openConnection(door, {
      ws,
      socket,
      request,
      known() {
        isKnown = true
        leaveUnknown()
      },
      gone() {
        leave()
        leaveUnknown()
        requests.end({ method: 'GET', route: '/ws', status: 101 }, (performance.now() - since) / 1000)
      },
    })
    leave = open.join(connection)
    if (isKnown) return
    leaveUnknown = unknown.join(ws)
    if (unknown.size > limits.unknown) connection.end('tryLater', new Refusal('Busy'))
  }

  wss.on('headers', headers => headers.push(...everyAnswerLines))
  wss.on('wsClientError', ({ message }, socket) =>
    socket.end(wholeAnswer(new Refusal('BadHandshake', undefined, message, { headers: version }), serving)),
  )
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isWebSocket(request)) return passOver(server, request, socket, head)
    // A client reconnects after a broken connection, but some clients give up after an error answer.
    if (stopping.aborted) return void socket.destroy()
    if (pathOfRequest(request) === workerPath) return takeWorker(request, socket, head)
    wss.handleUpgrade(request, socket, head, ws => admit(ws, socket, request))
  })
  stopping.addEventListener('abort', () => {
    for (const connection of open) connection.end('goingDown')
  })
}

/** Answers requests for /ws that do not ask for a WebSocket. */
export const socketRoutes = (app: App): void => {
  route(app, 'openSocket', {
    async handler() {
      throw new Refusal('UpgradeRequired')
    },
  })
}
