// GET /api/events: everything that happens, past and live, as server-sent events.
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventFilter, Told } from '../bus/events.ts'
import { eventNames } from '../contract/public-events.ts'
import { Invalid } from '../contract/refusals.ts'
import { ticketOf } from './auth.ts'
import { type App, faultOf, type Parts } from './parts.ts'
import { readQuery } from './query.ts'
import { headersOf } from './slow-answer.ts'
import { heartbeat, jsonLine, opening, streamHeaders } from './sse.ts'

const tickMs = 1000
const heartbeatTicks = 10
/** Who has taken nothing for so long is cut: it comes back from its cursor. */
const patienceTicks = 10

const frameOf = ({ position, event }: Told): string =>
  `id: ${position}\nevent: ${event.type}\ndata: ${jsonLine(JSON.stringify(event))}\n\n`
const positionFrame = (position: number): string =>
  `id: ${position}\nevent: Position\ndata: {"position":${position}}\n\n`

/**
 * Text as one chunk of a chunked body. It goes to the socket past the response, which would frame it anew for each of a
 * thousand subscribers and write it in three pieces: a tenth of all the CPU that they cost.
 */
const chunkOf = (text: string): Buffer => {
  const bytes = Buffer.byteLength(text)
  return Buffer.from(`${bytes.toString(16)}\r\n${text}\r\n`)
}
const heartbeatChunk = chunkOf(heartbeat)

/** The bytes of a list of events: made once, whoever gets them. */
const createEncoder = () => {
  const frames = new WeakMap<Told, string>()
  const lists = new WeakMap<readonly Told[], Buffer>()
  const frame = (told: Told): string => {
    const known = frames.get(told) ?? frameOf(told)
    frames.set(told, known)
    return known
  }
  return (events: readonly Told[]): Buffer => {
    const known = lists.get(events) ?? chunkOf(events.map(frame).join(''))
    lists.set(events, known)
    return known
  }
}

type Open = {
  socket: Socket
  beat: () => void
  /** Ticks since it took something, while it is full. */
  fullFor: number
  /** The token may have ended since. */
  isAllowed: () => boolean
}

/** Where to begin: after a position, or (undefined) with what comes. */
const cursorOf = (request: FastifyRequest, head: number): number | undefined => {
  const inHeader = request.headers['last-event-id'] !== undefined
  const [given, where, name] = inHeader
    ? [request.headers, 'header', 'last-event-id']
    : [request.query as Record<string, unknown>, 'query', 'starting_after']
  if (given[name] === 'earliest') return 0
  const q = readQuery(given, where)
  const after = q.integer(name, { fallback: undefined })
  q.done()
  if (after === undefined || after <= head) return after
  const msg = 'The cursor is beyond the end of the log'
  throw new Invalid([{ loc: [where, name], msg, type: 'value_error' }])
}

const filterOf = (request: FastifyRequest): EventFilter => {
  const q = readQuery(request.query)
  const types = q.listOf('types', eventNames)
  const [sessionId, taskId] = [q.text('session_id'), q.text('task_id')]
  q.done()
  const { userId: owner } = request.principal
  return { owner, types: types === undefined ? undefined : new Set(types), sessionId, taskId }
}

export const eventRoutes = (app: App, parts: Parts): void => {
  const { events, stopping } = parts
  const encode = createEncoder()
  const open = new Set<Open>()
  let ticks = 0
  const timer = setInterval(() => {
    ticks++
    for (const stream of open) {
      const { socket } = stream
      if (socket.writableNeedDrain) stream.fullFor++
      if (stream.fullFor > patienceTicks || !stream.isAllowed()) socket.destroy()
      else if (ticks % heartbeatTicks === 0 && !socket.writableNeedDrain) stream.beat()
    }
  }, tickMs)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))

  const send = (request: FastifyRequest, reply: FastifyReply, filter: EventFilter, cursor?: number): void => {
    reply.hijack()
    const { raw } = reply
    const { socket } = request.raw
    const after = cursor ?? events.position()
    const tokenId = request.principal.id
    const isAllowed = () => parts.principals.current(tokenId) !== undefined
    const isChunked = request.raw.httpVersion !== '1.0'
    const beat = () => void (isChunked ? socket.write(heartbeatChunk) : raw.write(heartbeat))
    const take = (list: readonly Told[]) =>
      isChunked ? socket.write(encode(list)) : raw.write(list.map(frameOf).join(''))
    const stream: Open = { socket, beat, fullFor: 0, isAllowed }
    socket.setNoDelay(true)
    raw.writeHead(200, { ...headersOf(reply), ...streamHeaders(request.raw) })
    raw.write(cursor === undefined ? `${opening}${positionFrame(after)}` : opening)
    const onFault = (error: unknown) => {
      faultOf(parts, request)(error)
      raw.destroy()
    }
    const subscription = events.subscribe(after, filter, take, onFault)
    const end = () => {
      raw.write(': the server goes down\n')
      raw.end()
    }
    const ticket = ticketOf(request)
    const leaveSeat = ticket === undefined ? () => {} : parts.tickets.sit(ticket, () => raw.destroy())
    const closed = () => {
      open.delete(stream)
      socket.off('drain', drained)
      subscription.close()
      leaveSeat()
      stopping.removeEventListener('abort', end)
    }
    const drained = () => {
      stream.fullFor = 0
      subscription.resume()
    }
    socket.on('drain', drained)
    raw.on('close', closed)
    raw.on('error', () => {}) // it closes, too
    stopping.addEventListener('abort', end, { once: true })
    open.add(stream)
    if (stopping.aborted) end()
  }

  app.route({
    method: 'GET',
    url: '/api/events',
    config: { access: 'follow' },
    async handler(request, reply) {
      const filter = filterOf(request)
      send(request, reply, filter, cursorOf(request, events.position()))
      return reply
    },
  })
}
