// Puts together the parts of one WebSocket connection, from its opening to its end.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { Refusal } from '../../contract/refusals.ts'
import { createClosing } from './closing.ts'
import type { Door } from './connection-deps.ts'
import { createDispatch } from './dispatch.ts'
import { createEventSubscription } from './event-channels.ts'
import { createHeartbeat } from './heartbeat.ts'
import { createHeldTasks } from './held-tasks.ts'
import { createIdentity, type End } from './identity.ts'
import { createInbox } from './inbox.ts'
import { createIntake } from './intake.ts'
import { createOutbox } from './outbox.ts'
import { createSubscriptions } from './subscriptions.ts'
import { createTaskChannels } from './task-channels.ts'
import { errorText } from './words.ts'

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
    if (error !== undefined && !closing.isOver()) outbox.say(errorText(error, requestId).text)
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
  const subscriptions = createSubscriptions({ events, tasks, reads: serving.reads, say: outbox.say })
  const intake = createIntake(budget)
  const stream = { beat: heartbeat.beat, isFull: outbox.isFull }
  const identity = createIdentity({ serving, authMs, intake, known, stream, end })
  const take = createDispatch(door, { identity, closing, end, fault, held, outbox, subscriptions, tasks })
  const inbox = createInbox(ws, {
    limits: door.inbox,
    isFull: outbox.isFull,
    take,
    held: heartbeat.unread,
    emptied: intake.giveBack,
  })

  for (const job of [events.close, tasks.close, identity.close, intake.giveBack, inbox.stop])
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
    const fits = intake.take(chunk.length)
    const isUnknown = identity.principal() === undefined
    if (fits && !(isUnknown && intake.bytes() > readBeforeToken)) return
    if (fits) end('unauthenticated', new Refusal('Unauthenticated'))
    else end('tryLater', budget.refusal())
    deafen()
  })
  identity.enterBy(request)
  return { end }
}
