// Opens WebSockets at /ws only. The server ignores any other request to change the protocol, as HTTP allows it to. Some
// clients ask for another version of HTTP in their first request, and these requests must be answered normally.

import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { Refusal } from '../../contract/refusals.ts'
import { type CloseReason, closeCodes } from '../../contract/socket.ts'
import { createMembers } from '../../platform/transient.ts'
import type { Admission } from '../admission.ts'
import { badRequest } from '../bad-request.ts'
import type { BodyBudget } from '../body/budget.ts'
import { everyAnswerLines } from '../head.ts'
import { createOrigins } from '../origins.ts'
import type { App } from '../request.ts'
import { route } from '../route.ts'
import { createTaskCalls } from '../task-calls.ts'
import { isWebSocket, passOver } from '../upgrade.ts'
import { type Connection, openConnection } from './connection.ts'
import type { SocketDeps } from './connection-deps.ts'
import { createEventEncoder } from './event-channels.ts'
import { defaultInbox, type InboxLimits } from './inbox.ts'
import { createReader } from './read-message.ts'
import { closeWords, errorText } from './words.ts'

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

/** Opens /ws on `server`, which receives the requests. */
export const openSocketDoor = (
  server: Server,
  deps: SocketDeps,
  budget: BodyBudget,
  admission: Admission,
  limits: SocketLimits = defaultLimits,
): void => {
  const { requests, allowedOrigins } = deps.gate
  const { stopping, publicUrl } = deps.serving
  const wss = new WebSocketServer(options)
  const { mayConnect } = createOrigins(allowedOrigins, publicUrl?.origin)
  const open = createMembers<Connection>()
  const unknown = createMembers<WebSocket>()
  const door = {
    deps,
    calls: createTaskCalls(deps.tasks),
    read: createReader(),
    encode: createEventEncoder(),
    budget,
    admission,
    inbox: limits.inbox,
    authMs: limits.authMs,
    count: requests.message,
  }

  const refusalOf = ({ headers: { origin, host } }: IncomingMessage): [CloseReason, Refusal] | undefined => {
    if (origin !== undefined && !mayConnect(origin, host)) {
      return ['forbidden', new Refusal('Forbidden', undefined, 'this origin may not connect')]
    }
    return open.size >= limits.connections ? ['tryLater', new Refusal('Busy')] : undefined
  }

  const admit = (ws: WebSocket, socket: Duplex, request: IncomingMessage): void => {
    const refusal = refusalOf(request)
    if (refusal !== undefined) {
      const [reason, error] = refusal
      ws.on('error', () => {})
      ws.send(errorText(error, undefined).text)
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
    socket.end(badRequest(message, 'Sec-WebSocket-Version: 13')),
  )
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isWebSocket(request)) return passOver(server, request, socket, head)
    // A client reconnects after a broken connection, but some clients give up after an error answer.
    if (stopping.aborted) return void socket.destroy()
    wss.handleUpgrade(request, socket, head, ws => admit(ws, socket, request))
  })
  stopping.addEventListener('abort', () => {
    for (const connection of open) connection.end('goingDown')
  })
}

/** Answers requests for /ws that do not ask for a WebSocket. */
export const socketRoutes = (app: App): void => {
  route(app, 'openSocket', {
    handler: (_request, reply) =>
      reply.code(426).headers({ upgrade: 'websocket', connection: 'Upgrade' }).send({
        code: -32600,
        message: 'this path opens a WebSocket: send a request with `Upgrade: websocket`',
      }),
  })
}
