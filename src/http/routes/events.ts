// GET /api/events: all public events, past and live, as server-sent events.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventFilter } from '../../bus/event-filter.ts'
import type { Events } from '../../bus/events.ts'
import { bodyOf, type Published } from '../../bus/published.ts'
import { eventNames } from '../../contract/events/public-events.ts'
import { createMemo } from '../../platform/memo.ts'
import { onAbort } from '../../platform/on-abort.ts'
import { type Prepared, prepared } from '../answer/prepared.ts'
import type { Serving } from '../doors.ts'
import { doneWith, readQuery } from '../request/query.ts'
import { type App, faultOf, readBy } from '../request/request.ts'
import { optionalHeader } from '../request/request-id.ts'
import { route } from '../route.ts'
import { holdStream } from '../stream/hold-stream.ts'
import { streamHeaders } from '../stream/sse.ts'
import { openBody } from '../stream/stream-body.ts'

const frameOf = (published: Published): string =>
  `id: ${published.position}\nevent: ${published.event.type}\ndata: ${bodyOf(published)}\n\n`
const positionFrame = (position: number): string =>
  `id: ${position}\nevent: Position\ndata: {"position":${position}}\n\n`

/** Makes the bytes of a list of events once for all subscribers. */
const createEncoder = () => {
  const frames = createMemo<Published, string>('frame')
  const lists = createMemo<readonly Published[], Prepared>('frames')
  const frame = (published: Published): string => {
    const known = frames.get(published) ?? frameOf(published)
    frames.set(published, known)
    return known
  }
  return (events: readonly Published[]): Prepared => {
    const known = lists.get(events) ?? prepared(Buffer.from(events.map(frame).join('')))
    lists.set(events, known)
    return known
  }
}

type FollowQuery = {
  filter: EventFilter
  /** The position after which the stream begins; undefined: the stream begins with the next event. */
  cursor: number | undefined
}

/** Reads the request; throws Invalid with every problem at once. */
const followQuery = (request: FastifyRequest, head: number): FollowQuery => {
  const { headers, principal } = request
  const query = request.query as Record<string, unknown>
  const inHeader = optionalHeader(request, 'last-event-id') !== undefined
  const name = inHeader ? 'last-event-id' : 'starting_after'
  const q = readQuery(query)
  const from = inHeader ? readQuery(headers, 'header') : q
  const cursor = (inHeader ? headers : query)[name] === 'earliest' ? 0 : from.cursor(name, head)
  const types = q.listOf('types', eventNames)
  const [sessionId, taskId] = [q.text('session_id'), q.text('task_id')]
  doneWith(...new Set([q, from]))
  const { userId: owner } = principal
  const named = types === undefined ? undefined : new Set(types)
  return { filter: { owner, types: named, sessionId, taskId }, cursor }
}

export const eventRoutes = (app: App, events: Events, serving: Serving): void => {
  const { stopping, openStreams } = serving
  const encode = createEncoder()
  const send = (request: FastifyRequest, reply: FastifyReply, filter: EventFilter, cursor?: number): void => {
    const { raw } = reply
    const { socket } = request.raw
    const after = cursor ?? events.position()
    const body = openBody(request, reply, cursor === undefined ? positionFrame(after) : '')
    const cut = () => void socket.destroy()
    const kept = openStreams.add(request, { beat: body.beat, isFull: body.isFull, cut })
    const take = (list: readonly Published[]) => body.write(encode(list))
    const onFault = (error: unknown) => {
      faultOf(serving, request)(error)
      cut()
    }
    const subscription = events.subscribe(after, filter, take, onFault)
    const drained = () => {
      kept.drained()
      subscription.resume()
    }
    const release = () => {
      kept.closed()
      subscription.close()
      socket.off('drain', drained)
      socket.off('close', release)
      forget()
    }
    const end = () => {
      release() // no event may follow the last comment
      raw.end(': the server goes down\n')
    }
    raw.on('drain', drained)
    raw.on('close', release)
    raw.on('error', () => {}) // a `close` follows, which is handled
    socket.on('drain', drained)
    socket.on('close', release) // a response that waits behind another one on its connection gets no `close`
    const forget = onAbort(stopping, end)
    if (stopping.aborted) end()
  }

  route(app, 'followEvents', {
    config: { stream: true },
    async handler(request, reply) {
      const { filter, cursor } = followQuery(request, events.position())
      if (request.method === 'HEAD') return reply.headers(streamHeaders(request.raw)).send()
      holdStream(serving, request, reply)
      const shows = readBy(serving, request)
      if (filter.taskId !== undefined) shows(filter.taskId)
      send(request, reply, filter, cursor)
      return reply
    },
  })
}
