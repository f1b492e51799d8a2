// Puts together the parts of one WebSocket connection, from its opening to its end.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { Refusal } from '../../contract/refusals.ts'
import { createClosing } from './closing.ts'
import type { Door } from './connection-deps.ts'
import { createDispatch } from './dispatch.ts'
import { createEventSubscription } from './event-channels.ts'
import { createHeldTasks } from './held-tasks.ts'
import { createIdentity, type End } from './identity.ts'
import { createInbox } from './inbox.ts'
import { createOutbox } from './outbox.ts'
import { createSocketSubscriptions } from './subscriptions.ts'
import { createTaskChannels } from './task-channels.ts'
import { createUnhandledBytes } from './unhandled-bytes.ts'
import { errorText } from './words.ts'

// Checks whether the client is still connected. `openStreams` calls `beat` every ten seconds, and the client must
// answer each ping before the next call.

/** Every third call of `beat` sends a ping. */
const looksPerPing = 3

/** Calls `lost` when the client has not answered a ping in time. */
const createHeartbeat = (ws: WebSocket, lost: () => void) => {
  let looks = 0
  let isAwaited = false
  let wasUnread = false
  return {
    /** The connection calls this when bytes have arrived. */
    heard(): void {
      isAwaited = false
    },
    /** The connection calls this when it pauses reading, because it would not notice the answer to a ping. */
    unread(): void {
      wasUnread = true
    },
    /** `openStreams` calls this every ten seconds, unless the outbox is full. */
    beat(): void {
      if (wasUnread) isAwaited = false
      wasUnread = ws.isPaused
      if (isAwaited) {
        lost()
        return void ws.terminate()
      }
      if (++looks % looksPerPing > 0) return
      isAwaited = true
      ws.ping()
    },
  }
}

/** The most bytes that a connection may send before it has authenticated. */
const readBeforeToken = 8 * 1024

export type Connection = { end: End }

type Opened = {
  ws: WebSocket
  socket: Duplex
  request: IncomingMessage
  /** Called when the connection has authenticated. */
  known: () => void
  /** Called when the connection has closed. */
  gone: () => void
}

export const openConnection = (door: Door, { ws, socket, request, known, gone }: Opened): Connection => {
  const { deps, budget, authMs } = door
  const { events: publicEvents, serving } = deps
  const { longAnswers, quotas } = serving
  const fault = (error: unknown) => serving.fault(error, { request_id: serving.newId(), route: '/ws' })

  const closing = createClosing(ws)
  const outbox = createOutbox(ws, socket, () => closing.close('slow'))
  /** Ends the connection from the server's side. This does not count as a disconnect, so no task is canceled. */
  const end: End = (reason, error, requestId) => {
    if (error !== undefined && !closing.isOver()) outbox.say(errorText(error, requestId, serving))
    closing.close(reason)
  }
  const lostTrack = (error: unknown) => {
    fault(error)
    end('tryLater', error instanceof Error ? error : new Error(String(error)))
  }

  const held = createHeldTasks(deps.tasks, serving, fault)
  /** Runs when the caller has disconnected. It does nothing if the server has ended the connection. */
  const disconnected = () => {
    if (closing.release()) held.disconnected()
  }
  const heartbeat = createHeartbeat(ws, disconnected)
  const events = createEventSubscription({
    events: publicEvents,
    encode: door.encode,
    write: outbox.write,
    onFault: lostTrack,
  })
  /** Ends the connection when a task is erased while its frames are sent: sent fragments cannot be taken back. */
  const erased = () => end('tryLater', new Refusal('TaskNotFound'))
  const channels = { tasks: deps.tasks, longAnswers, quotas, outbox, onFault: lostTrack, onErased: erased }
  const tasks = createTaskChannels(channels)
  const subscriptions = createSocketSubscriptions({ events, tasks, reads: serving.reads, say: outbox.say })
  const unhandled = createUnhandledBytes(budget)
  const stream = { beat: heartbeat.beat, isFull: outbox.isFull }
  const identity = createIdentity({ serving, authMs, unhandled, known, stream, end })
  const take = createDispatch(door, { identity, closing, end, fault, held, outbox, subscriptions, tasks })
  const inbox = createInbox(ws, {
    limits: door.inbox,
    isFull: outbox.isFull,
    take,
    held: heartbeat.unread,
    emptied: unhandled.giveBack,
  })

  for (const job of [events.close, tasks.close, identity.close, unhandled.giveBack, inbox.stop])
    closing.atEnd(job)
  outbox.onRoom(() => {
    identity.drained()
    events.resume()
    inbox.pump()
  })
  ws.on('message', (data, isBinary) => inbox.hear({ bytes: data as Buffer, isBinary }))
  ws.on('ping', () => inbox.spend())
  ws.on('error', () => {}) // a `close` follows, which is handled
  ws.once('close', () => {
    disconnected()
    identity.release()
    gone()
  })
  /** Stops handling messages. Bytes that still arrive are thrown away. */
  const deafen = () => {
    socket.removeAllListeners('data')
    socket.resume()
  }
  socket.on('data', (chunk: Buffer) => {
    if (closing.isOver()) return
    heartbeat.heard()
    const fits = unhandled.take(chunk.length)
    const isUnknown = identity.principal() === undefined
    if (fits && !(isUnknown && unhandled.bytes() > readBeforeToken)) return
    if (fits) end('unauthenticated', new Refusal('Unauthenticated'))
    else end('tryLater', budget.refusal())
    deafen()
  })
  identity.enterBy(request)
  return { end }
}
