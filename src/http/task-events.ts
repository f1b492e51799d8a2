// GET /tasks/{id}/events: taking a task's stream up again, as server-sent events or as JSON pages.
import type { FastifyRequest } from 'fastify'
import { Invalid } from '../contract/refusals.ts'
import { isTerminal } from '../contract/wire.ts'
import { holdStream } from './hold-stream.ts'
import { type App, faultOf, type Parts } from './parts.ts'
import { readQuery } from './query.ts'
import { sendTaskStream } from './task-stream.ts'

type ById = { Params: { task_id: string } }

export const wantsStream = (request: FastifyRequest): boolean =>
  /\btext\/event-stream\b/i.test(request.headers.accept ?? '')

const beyond = (loc: string[]) =>
  new Invalid([{ loc, msg: 'The cursor is beyond the end of the stream', type: 'value_error' }])

export const taskEventRoutes = (app: App, parts: Parts): void => {
  app.route<ById>({
    method: 'GET',
    url: '/tasks/:task_id/events',
    config: { access: 'follow' },
    async handler(request, reply) {
      const row = parts.queries.visible(request.principal, request.params.task_id)
      const stream = parts.streamOf(row.id)
      const envelopeId = row.request_id

      if (!wantsStream(request)) {
        const q = readQuery(request.query)
        const after = q.integer('after', { fallback: undefined })
        const limit = q.integer('limit', { min: 1, max: 1000, fallback: 100 })
        q.done()
        if (after !== undefined && after >= (await parts.nextFrame(stream))) throw beyond(['query', 'after'])
        const { frames, more } = await parts.readFrames(stream, after ?? -1, limit)
        return reply.send({ jsonrpc: '2.0', id: envelopeId, result: frames, has_more: more })
      }

      const header = request.headers['last-event-id'] !== undefined
      const q = header ? readQuery(request.headers, 'header') : readQuery(request.query)
      const name = header ? 'last-event-id' : 'starting_after'
      const after = q.integer(name, { fallback: undefined })
      q.done()
      if (after !== undefined) {
        const next = await parts.nextFrame(stream)
        if (after >= next) throw beyond([header ? 'header' : 'query', name])
        if (after === next - 1 && isTerminal(row.status)) return reply.code(204).send()
      }
      holdStream(parts, request, reply)
      const feed = parts.openFeed(stream, after ?? -1, false)
      const onFault = faultOf(parts, request)
      await sendTaskStream(request, reply, {
        feed,
        envelopeId,
        withIds: true,
        stopping: parts.stopping,
        openStreams: parts.openStreams,
        onFault,
      })
      return reply
    },
  })
}
