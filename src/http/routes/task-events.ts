// GET /tasks/{id}/events: resumes a task's stream, as server-sent events or as JSON pages.
import type { FastifyRequest } from 'fastify'
import { lengthOf } from '../../contract/json/length.ts'
import { Invalid } from '../../contract/refusals.ts'
import { isTerminal } from '../../contract/wire.ts'
import { rolloutsIn } from '../../history/frame-renderer.ts'
import type { Frame } from '../../history/frames.ts'
import { gathered, isLong, type Sized, sizedText } from '../../platform/pieces.ts'
import { inEnvelope, pageOf } from '../answer/page.ts'
import { sendText } from '../answer/send-text.ts'
import type { Serving, TaskDoor } from '../doors.ts'
import { doneWith, readQuery } from '../request/query.ts'
import { type App, answersOf, faultOf, readBy } from '../request/request.ts'
import { optionalHeader } from '../request/request-id.ts'
import { route } from '../route.ts'
import { frameText } from '../stream/frame-text.ts'
import { holdStream } from '../stream/hold-stream.ts'
import { streamHeaders } from '../stream/sse.ts'
import { sendTaskStream } from '../stream/task-stream.ts'

export const wantsStream = (request: FastifyRequest): boolean =>
  /\btext\/event-stream\b/i.test(request.headers.accept ?? '')

/** The error for a cursor that names no frame or event of a stream, or of what is stored of it by now. */
export const beyond = (loc: string[]) =>
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

/** Frames as texts. A frame whose rollouts are long, which is known only after they are made, fills a page alone. */
async function* textsOf(frames: AsyncIterable<Frame>): AsyncGenerator<Sized> {
  for await (const frame of frames) {
    const made = frameText(frame)
    const hasRollouts = rolloutsIn(frame) !== undefined
    const text = hasRollouts && isLong(made) ? await gathered(made) : made
    if (!isLong(text)) yield sizedText(text)
    else yield { text, bytes: hasRollouts ? Number.POSITIVE_INFINITY : lengthOf(frame) }
  }
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
          pageOf(inEnvelope(envelopeId), textsOf(tasks.storedFrames(stream, after ?? -1, pause)), limit),
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
