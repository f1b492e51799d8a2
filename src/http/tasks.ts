// The task operations of the interface.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Feed } from '../bus/feed.ts'
import { Invalid, Refusal } from '../contract/refusals.ts'
import { CreateTaskBody, taskStatuses } from '../contract/wire.ts'
import type { Moment } from '../recall.ts'
import { envelope } from './envelope.ts'
import { holdStream } from './hold-stream.ts'
import { type App, faultOf, type Parts } from './parts.ts'
import { readQuery } from './query.ts'
import { isRetry, setRequestId, shortHeader } from './request-id.ts'
import { answerWhenReady } from './slow-answer.ts'
import { createTaskCalls } from './task-calls.ts'
import { sendTaskStream } from './task-stream.ts'

const json = 'application/json; charset=utf-8'
const sendText = (reply: FastifyReply, text: string) => reply.type(json).send(text)

type ById = { Params: { task_id: string } }

export const taskRoutes = (app: App, parts: Parts): void => {
  const { commands, queries, recall, stopping, openStreams } = parts
  const calls = createTaskCalls(parts)

  /** What happens when the caller goes away before its answer is whole. */
  const watchDelivery = (
    reply: FastifyReply,
    taskId: string,
    { made, cancels }: { made: boolean; cancels: boolean },
    principal = reply.request.principal,
  ) => {
    const closed = () => {
      if (reply.raw.writableFinished) return
      if (made) parts.notDelivered(taskId)
      if (!cancels || stopping.aborted) return
      commands.cancel(principal, taskId, reply.request.envelopeId, 'disconnected').catch(error => {
        if (!(error instanceof Refusal)) faultOf(parts, reply.request)(error)
      })
    }
    // The caller may have gone while its task was being stored.
    if (reply.raw.closed || reply.raw.destroyed) closed()
    else reply.raw.once('close', closed)
  }

  const answerStream = (request: FastifyRequest, reply: FastifyReply, taskId: string, feed: Feed) => {
    void reply.headers({ 'x-task-id': taskId, 'content-location': `/v1/tasks/${encodeURIComponent(taskId)}` })
    const onFault = faultOf(parts, request)
    return sendTaskStream(request, reply, {
      feed,
      envelopeId: request.envelopeId,
      withIds: false,
      stopping,
      openStreams,
      onFault,
    }).then(() => reply)
  }

  app.route({
    method: 'POST',
    url: '/tasks',
    bodyLimit: parts.bodyLimit,
    config: { access: 'write', envelope: true, isCreate: true },
    schema: { body: CreateTaskBody },
    attachValidation: true,
    async handler(request, reply) {
      const { body, principal, validationError } = request
      if (validationError) throw await calls.invalid(principal, body, validationError)
      if (body.request_id) setRequestId(request, reply, body.request_id)
      if (body.stream) holdStream(parts, request, reply)
      const retry = { key: shortHeader(request, 'idempotency-key'), isRetry: isRetry(request) }
      const given = { body, digest: request.bodyDigest }
      const task = await calls.create({ principal, requestId: request.envelopeId }, given, retry, true)
      if (task.replayed) void reply.header('idempotency-replayed', 'true')
      // A replay that brings no id of its own is told under the one of the first request.
      const isNamed = body.request_id || request.headers['x-request-id'] !== undefined
      if (!isNamed) setRequestId(request, reply, task.requestId)
      const { envelopeId } = request
      watchDelivery(reply, task.taskId, { made: task.made, cancels: body.on_disconnect === 'cancel' })
      if (body.stream) return answerStream(request, reply, task.taskId, await task.feed())
      if (task.isReady) return sendText(reply, envelope(envelopeId, await task.now()))
      return answerWhenReady(
        reply,
        task.rested().then(text => envelope(envelopeId, text)),
        stopping,
      )
    },
  })

  app.route({
    method: 'GET',
    url: '/tasks',
    config: { access: 'read', envelope: true },
    async handler(request, reply) {
      const q = readQuery(request.query)
      const wish = {
        sessionId: q.text('session_id'),
        userId: q.text('user_id'),
        statuses: q.manyOf('status', taskStatuses) ?? [],
        startingAfter: q.text('starting_after'),
        endingBefore: q.text('ending_before'),
        limit: q.integer('limit', { min: 1, max: 100, fallback: 10 }),
        order: q.oneOf('order', ['asc', 'desc'], 'desc'),
        includeSubtasks: q.boolean('include_subtasks', false),
      }
      q.notBoth('starting_after', 'ending_before')
      q.done()
      const { userId: own } = request.principal
      const found = queries.list({ ...wish, statuses: [...new Set(wish.statuses)] }, own)
      if ('unknownCursor' in found) {
        const name = wish.startingAfter === undefined ? 'ending_before' : 'starting_after'
        throw new Invalid([
          { loc: ['query', name], msg: 'There is no task with this id', type: 'value_error' },
        ])
      }
      const { tasks, more } = found
      const [first, last] = [tasks[0], tasks.at(-1)]
      if (more && first !== undefined && last !== undefined) {
        const link =
          wish.endingBefore === undefined
            ? linkTo(request.url, { starting_after: last.id }, 'next')
            : linkTo(request.url, { ending_before: first.id }, 'prev')
        void reply.header('link', link)
      }
      return sendText(reply, envelope(request.envelopeId, `[${tasks.map(({ text }) => text).join(',')}]`))
    },
  })

  app.route<ById>({
    method: 'GET',
    url: '/tasks/:task_id',
    config: { access: 'read', envelope: true },
    async handler(request, reply) {
      const moment = momentOf(readQuery(request.query))
      const row = queries.visible(request.principal, request.params.task_id)
      const text = moment === undefined ? recall.textOfRow(row) : recall.asOf(row.id, moment)
      return sendText(reply, envelope(request.envelopeId, await text))
    },
  })

  app.route<ById>({
    method: 'DELETE',
    url: '/tasks/:task_id',
    config: { access: 'write' },
    async handler(request, reply) {
      const { principal, params, envelopeId } = request
      const last = commands.remove(principal, params.task_id, envelopeId)
      return answerWhenReady(
        reply,
        last.then(async view => envelope(envelopeId, await recall.textOf(view))),
        stopping,
      )
    },
  })

  for (const verb of ['cancel', 'pause', 'resume'] as const) {
    app.route<ById>({
      method: 'POST',
      url: `/tasks/:task_id/${verb}`,
      config: { access: 'write' },
      handler: ({ principal, params, envelopeId: requestId }, reply) =>
        answerWhenReady(reply, calls.move(verb, { principal, requestId }, params.task_id), stopping),
    })
  }
}

/** `as_of`: a frame's number, `position:N`, or a time. */
const momentOf = (q: ReturnType<typeof readQuery>): Moment | undefined => {
  const text = q.text('as_of')
  q.done()
  if (text === undefined) return undefined
  const number = /^(position:)?(\d{1,15})$/.exec(text)
  if (number !== null) {
    const n = Number(number[2])
    return number[1] === undefined ? { frame: n } : { position: n }
  }
  const time = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return { time }
  const msg = 'Give the number of a frame, position:N, or an ISO 8601 time'
  throw new Invalid([{ loc: ['query', 'as_of'], msg, type: 'value_error' }])
}

/** The same list, from another cursor. */
const linkTo = (url: string, cursor: Record<string, string>, rel: string): string => {
  const target = new URL(url, 'http://host')
  for (const name of ['starting_after', 'ending_before']) target.searchParams.delete(name)
  for (const [name, value] of Object.entries(cursor)) target.searchParams.set(name, value)
  return `<${target.pathname}${target.search}>; rel="${rel}"`
}
