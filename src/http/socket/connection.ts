// One WebSocket from its opening to its end: who it stands for, what it asks, and why it is closed.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { may, roleRefused } from '../../access/roles.ts'
import { Invalid, Refusal } from '../../contract/refusals.ts'
import { type CloseReason, closeCodes } from '../../contract/socket.ts'
import type { Principal } from '../../contract/token-events.ts'
import type { Text } from '../../platform/pieces.ts'
import { type Asking, authorize, ticketOf } from '../auth.ts'
import { holderOf } from '../body/budget.ts'
import type { Serving } from '../doors.ts'
import type { Cut } from '../open-streams.ts'
import { type Command, createSocketCommands } from './commands.ts'
import type { Door } from './connection-deps.ts'
import { createEventSubscription } from './event-channels.ts'
import { createHeldTasks } from './held-tasks.ts'
import { createInbox, type Message } from './inbox.ts'
import { createOutbox } from './outbox.ts'
import { openMessage, type Said, type Unread } from './read-message.ts'
import { createSubscriptions, invalid } from './subscriptions.ts'
import { createTaskChannels } from './task-channels.ts'
import { closeWords, errorText, resultText, saying } from './words.ts'

/** Who has not said who it is may send so much. */
const readBeforeToken = 8 * 1024
/** A ping goes out on every third look of `openStreams`, which looks every ten seconds. */
const beatsPerPing = 3

const subscribesOnly = 'this ticket subscribes and commands nothing: ask for one with {"for": "socket"}'

export type Connection = { end: (reason: CloseReason, error?: Error) => void }

/** A request is refused for its id alone: who asks may still say who it is. */
const isOfRequestId = (error: unknown): boolean =>
  error instanceof Invalid && error.problems.every(({ loc }) => loc[1] === 'request_id')

type Opened = {
  ws: WebSocket
  socket: Duplex
  request: IncomingMessage
  /** It is known who it stands for. */
  known: () => void
  /** Nothing is left of it. */
  gone: () => void
}

export const openConnection = (door: Door, { ws, socket, request, known, gone }: Opened): Connection => {
  const { deps, budget } = door
  const { serving } = deps
  let principal: Principal | undefined
  let mayCommand = true
  let kept: ReturnType<Serving['openStreams']['add']> | undefined
  let release = () => {}
  let isOver = false
  /** Bytes that came and are not given back to the budget, and the share that they count in. */
  let bytes = 0
  let holder = holderOf(undefined)
  let isAwaited = false

  const fault = (error: unknown) => serving.fault(error, { request_id: serving.newId(), route: '/ws' })
  const outbox = createOutbox(ws, socket, { overflow: () => end('slow'), freed: hasRoom })
  const inbox = createInbox(ws, { limits: door.inbox, isFull: outbox.isFull, take, emptied: giveBack })
  const lostTrack = (error: unknown) => {
    fault(error)
    end('tryLater', error instanceof Error ? error : new Error(String(error)))
  }
  const events = createEventSubscription({
    events: deps.events,
    encode: door.encode,
    write: outbox.write,
    onFault: lostTrack,
  })
  const tasks = createTaskChannels({
    tasks: deps.tasks,
    longAnswers: serving.longAnswers,
    outbox,
    onFault: lostTrack,
  })
  const { subscribe, unsubscribe } = createSubscriptions({ events, tasks, say: outbox.say })
  const held = createHeldTasks(deps.tasks, serving, fault)
  const carryOut = createSocketCommands(door.calls, deps.sessions.sessions, tasks)

  function hasRoom() {
    kept?.drained()
    events.resume()
    inbox.pump()
  }
  function giveBack() {
    budget.give(holder, bytes)
    bytes = 0
  }
  const letGo = () => {
    isOver = true
    clearTimeout(timer)
    events.close()
    tasks.close()
    kept?.leave()
    giveBack()
    inbox.stop()
  }
  /** What was asked for is left as it is: a connection that we end is no disconnect. */
  function end(reason: CloseReason, error?: Error, requestId?: string) {
    if (isOver) return
    if (error !== undefined) outbox.say(errorText(error, requestId).text)
    letGo()
    ws.close(closeCodes[reason], closeWords[reason])
  }
  /** Nothing more is read: what still comes is thrown away as it is. */
  const deafen = () => {
    socket.removeAllListeners('data')
    socket.resume()
  }

  const leave = () => {
    if (isOver) return
    letGo()
    held.leave(principal)
  }

  const beats = { count: 0 }
  const beat = () => {
    // Whoever was not read from could not be heard.
    if (inbox.wasHeld()) isAwaited = false
    if (isAwaited) {
      leave()
      return void ws.terminate()
    }
    if (++beats.count % beatsPerPing > 0) return
    isAwaited = true
    ws.ping()
  }
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
    budget.give(holder, bytes)
    holder = holderOf(who)
    budget.take(holder, bytes)
    mayCommand = ticket === undefined || serving.tickets.mayCommand(ticket)
    kept = serving.openStreams.add({ ...asking, principal: who }, { beat, isFull: outbox.isFull, cut })
    return true
  }

  const refuse = (type: string, error: unknown, requestId: string | undefined) => {
    const { text, fault: isFault } = errorText(error, requestId)
    // What the server's end cuts off is nobody's fault, and nobody is left to be told.
    if (isFault && !serving.stopping.aborted) fault(error)
    door.count(type, isFault ? 'failed' : 'refused')
    outbox.say(text)
  }

  const authenticate = (message: Unread) => {
    const { type, fields, requestId } = door.read(message)
    if (type !== 'auth') throw new Refusal('Unauthenticated')
    const who = serving.principals.authenticate(fields.token)
    if (who === undefined) throw new Refusal('Unauthenticated')
    if (!enter(who, { headers: {}, query: {}, method: 'GET' })) return
    outbox.say(saying('authenticated', requestId, { user_id: who.userId ?? null, role: who.role }))
  }

  const command = (who: Principal, said: Command, free: () => void): Promise<void> | undefined => {
    const { requestId } = said
    if (!may(who.role, 'write')) return void end('forbidden', roleRefused(who.role, 'write'), requestId)
    if (!mayCommand) throw new Refusal('Forbidden', undefined, subscribesOnly)
    const own = serving.longAnswers.ofCaller(who, () => isOver)
    const result = async (data: Text, replayed: boolean): Promise<boolean> => {
      await outbox.tell(own.holding(resultText(requestId, data, replayed)))
      return !isOver
    }
    const hold = (taskId: string, asked: string) => held.hold(who, taskId, asked)
    const caller = { principal: who, requestId: requestId ?? serving.newId() }
    return door.admission.run(who, async () => {
      if (isOver) return
      await carryOut(said, caller, { result, hold, free, place: own.place(), pause: own.pause })
    })
  }

  const answer = (who: Principal, said: Said, free: () => void): Promise<void> | undefined => {
    const { requestId } = said
    switch (said.type) {
      case 'ping':
        return void outbox.say(saying('pong', requestId))
      case 'auth':
        throw invalid('type', 'value_error', 'This connection has said who it is')
      case 'subscribe':
        return subscribe(who, said.fields, requestId)
      case 'unsubscribe':
        return void unsubscribe(said.fields, requestId)
      default:
        return command(who, said, free)
    }
  }

  async function take(message: Message, free: () => void): Promise<void> {
    let type = 'unknown'
    let requestId: string | undefined
    try {
      const unread = openMessage(message)
      requestId = unread.requestId
      if (principal === undefined) return authenticate(unread)
      const said = door.read(unread)
      type = said.type
      // A token may have ended a moment ago.
      if (serving.principals.current(principal.id) === undefined) {
        return end('unauthenticated', new Refusal('Unauthenticated'), requestId)
      }
      const answered = answer(principal, said, free)
      if (answered !== undefined) await answered
      door.count(type, 'ok')
    } catch (error) {
      const mayStay = principal !== undefined || isOfRequestId(error)
      if (mayStay) refuse(type, error, requestId)
      else end('unauthenticated', error as Error, requestId)
    } finally {
      free()
    }
  }

  const timer = setTimeout(() => end('unauthenticated', new Refusal('Unauthenticated')), door.authMs)
  timer.unref()
  ws.on('message', (data, isBinary) => inbox.hear({ bytes: data as Buffer, isBinary }))
  ws.on('ping', () => inbox.spend())
  ws.on('error', () => {}) // it closes, too
  ws.once('close', () => {
    leave()
    release()
    gone()
  })
  socket.on('data', (chunk: Buffer) => {
    if (isOver) return
    isAwaited = false
    bytes += chunk.length
    if (!budget.take(holder, chunk.length)) {
      end('tryLater', new Refusal('Busy', { quota: 'bodies' }))
      deafen()
    } else if (principal === undefined && bytes > readBeforeToken) {
      end('unauthenticated', new Refusal('Unauthenticated'))
      deafen()
    }
  })
  socket.on('drain', hasRoom)

  const asking = askingOf(request)
  if (asking.headers.authorization !== undefined || asking.query.ticket !== undefined) {
    try {
      enter(authorize(asking, 'follow', serving), asking)
    } catch (error) {
      end('unauthenticated', error as Error)
    }
  }
  return { end }
}

/** Who asks for the connection, by its headers or by its ticket. */
const askingOf = ({ headers, url = '' }: IncomingMessage) => {
  const ticket = new URLSearchParams(url.split('?', 2)[1]).get('ticket') ?? undefined
  return { headers, query: { ticket }, method: 'GET' }
}
