// GET /tasks/{id}/events: resumes a task's stream, as server-sent events or as JSON pages.
import type { FastifyRequest } from 'fastify'
import { isLongerThan, lengthOf } from '../contract/length.ts'
import { Invalid } from '../contract/refusals.ts'
import { isTerminal } from '../contract/wire.ts'
import { rolloutsIn } from '../history/frame-renderer.ts'
import type { Frame } from '../history/frames.ts'
import { gathered, isLong, largeFrom, type Piece } from '../platform/pieces.ts'
import type { Serving, TaskDoor } from './doors.ts'
import { frameText } from './frame-text.ts'
import { holdStream } from './hold-stream.ts'
import { doneWith, readQuery } from './query.ts'
import { type App, answersOf, faultOf, readBy } from './request.ts'
import { optionalHeader } from './request-id.ts'
import { route } from './route.ts'
import { sendText } from './send-text.ts'
import { streamHeaders } from './sse.ts'
import { sendTaskStream } from './task-stream.ts'

export const wantsStream = (request: FastifyRequest): boolean =>
  /\btext\/event-stream\b/i.test(request.headers.accept ?? '')

const beyond = (loc: string[]) =>
  new Invalid([{ loc, msg: 'The cursor is beyond the end of the stream', type: 'value_error' }])

/**
 * `after`: the number of the frame after which the answer begins. `loc`: the part of the request that gives this
 * number. The header, which an `EventSource` sends when it reconnects, takes precedence over the query. `limit`: the
 * most frames of a page.
 */
const cursorOf = (request: FastifyRequest, isStream: boolean) => {
  const q = readQuery(request.query)
  const limit = isStream ? 0 : q.integer('limit', { min: 1, max: 1000, fallback: 100 })
  if (optionalHeader(request, 'last-event-id') !== undefined) {
    const headers = readQuery(request.headers, 'header')
    const after = headers.integer('last-event-id', { fallback: undefined })
    doneWith(q, headers)
    return { after, loc: ['header', 'last-event-id'], limit }
  }
  const after = q.integer('after', { fallback: undefined })
  const startingAfter = q.integer('starting_after', { fallback: undefined })
  if (after !== startingAfter) q.notBoth('after', 'starting_after', ' with different values')
  q.done()
  const loc = ['query', after === undefined ? 'starting_after' : 'after']
  return { after: after ?? startingAfter, loc, limit }
}

/** A page of frames, limited in number and length. The first frame is included however long it is. */
async function* pageOf(
  frames: AsyncIterable<Frame>,
  envelopeId: string,
  limit: number,
): AsyncGenerator<Piece> {
  yield `{"jsonrpc":"2.0","id":${JSON.stringify(envelopeId)},"result":[`
  let bytes = 0
  let told = 0
  let more = false
  for await (const frame of frames) {
    const isFull = told === limit || (told > 0 && isLongerThan(frame, largeFrom - bytes))
    const made = isFull ? '' : frameText(frame)
    // A frame with rollouts is long when its rollouts are long, which is known only after they are made.
    const text = rolloutsIn(frame) !== undefined && isLong(made) ? await gathered(made) : made
    bytes += isLong(text) ? lengthOf(frame) : Buffer.byteLength(text)
    const hasLongRollouts = rolloutsIn(frame) !== undefined && isLong(text)
    more = isFull || (told > 0 && (hasLongRollouts || bytes > largeFrom))
    if (more) break
    if (told > 0) yield ','
    if (isLong(text)) yield* text
    else yield text
    told++
  }
  yield `],"has_more":${more}}`
}

type Tasks = Pick<TaskDoor, 'queries' | 'streamOf' | 'nextFrame' | 'storedFrames' | 'openFeed'>

export const taskEventRoutes = (app: App, tasks: Tasks, serving: Serving): void => {
  route(app, 'getTaskEvents', {
    async handler(request, reply) {
      const row = tasks.queries.visible(request.principal, request.params.task_id)
      const stream = tasks.streamOf(row.id)
      const envelopeId = row.request_id
      const own = answersOf(serving, request, reply)
      const onFault = faultOf(serving, request)

      const isStream = wantsStream(request)
      const { after, loc, limit } = cursorOf(request, isStream)
      const next = after === undefined ? undefined : await tasks.nextFrame(stream)
      if (after !== undefined && next !== undefined && after >= next) throw beyond(loc)
      readBy(serving, request)(row.id)
      if (!isStream) {
        const page = own.folding(pause =>
          pageOf(tasks.storedFrames(stream, after ?? -1, pause), envelopeId, limit),
        )
        return sendText(reply, page, onFault)
      }

      if (next !== undefined && after === next - 1 && isTerminal(row.status)) return reply.code(204).send()
      if (request.method === 'HEAD') return reply.headers(streamHeaders(request.raw)).send()
      holdStream(serving, request, reply)
      const place = own.place()
      const feed = tasks.openFeed({ stream, after: after ?? -1, endsAtWait: false, place })
      await sendTaskStream(request, reply, {
        feed,
        place,
        pause: own.pause,
        envelopeId,
        withIds: true,
        stopping: serving.stopping,
        openStreams: serving.openStreams,
        onFault,
      })
      return reply
    },
  })
}
