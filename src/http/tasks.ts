// The task operations of the interface.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Feed } from '../bus/feed.ts'
import { isAtRest } from '../commands.ts'
import { Invalid, Refusal } from '../contract/refusals.ts'
import { CreateTaskBody, isTerminal, taskStatuses } from '../contract/wire.ts'
import type { TaskView } from '../history/task-view.ts'
import type { Moment } from '../recall.ts'
import { readTaskRequest } from '../task-request.ts'
import { envelope } from './envelope.ts'
import { type App, faultOf, type Parts } from './parts.ts'
import { readQuery } from './query.ts'
import { isRetry, setRequestId, shortHeader } from './request-id.ts'
import { answerWhenReady } from './slow-answer.ts'
import { sendTaskStream } from './task-stream.ts'

const json = 'application/json; charset=utf-8'
const sendText = (reply: FastifyReply, text: string) => reply.type(json).send(text)

type ById = { Params: { task_id: string } }

export const taskRoutes = (app: App, parts: Parts): void => {
  const { commands, queries, recall, stopping, openStreams } = parts

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

  const answerStream = (
    request: FastifyRequest,
    reply: FastifyReply,
    taskId: string,
    envelopeId: string,
    feed: Feed,
  ) => {
    void reply.headers({ 'x-task-id': taskId, 'content-location': `/v1/tasks/${encodeURIComponent(taskId)}` })
    const onFault = faultOf(parts, request)
    return sendTaskStream(request, reply, {
      feed,
      envelopeId,
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
    config: { access: 'write', envelope: true },
    schema: { body: CreateTaskBody },
    async handler(request, reply) {
      const { body, principal } = request
      if (body.request_id) setRequestId(request, reply, body.request_id)
      const idempotencyKey = shortHeader(request, 'idempotency-key')
      const taskRequest = await readTaskRequest(body, parts.places, parts.agents, parts.problemsOfSchema)
      let feed: Feed | undefined
      const created = await commands
        .create({
          principal,
          request: taskRequest,
          body,
          envelopeId: request.envelopeId,
          idempotencyKey,
          isRetry: isRetry(request),
          onNew: stream => {
            if (body.stream) feed = parts.openFeed(stream, -1, true, true)
          },
        })
        .catch(error => {
          feed?.close()
          throw error
        })
      const replayed = 'replay' in created
      const taskId = replayed ? created.replay.id : created.taskId
      const answered = replayed ? undefined : created.answered
      if (replayed || answered?.again) void reply.header('idempotency-replayed', 'true')
      watchDelivery(reply, taskId, { made: answered === undefined, cancels: body.on_disconnect === 'cancel' })

      const { envelopeId } = request
      if (body.stream) {
        const stream = parts.streamOf(taskId)
        // An answer's stream goes on after it was accepted, under the name of this request.
        const after = answered === undefined ? -1 : await parts.afterAnswers(taskId, answered.callIds)
        const own = feed ?? parts.openFeed(stream, after, true)
        return answerStream(request, reply, taskId, replayed ? created.replay.request_id : envelopeId, own)
      }
      const answer = async (view: TaskView) => envelope(envelopeId, await recall.textOf(view))
      if (replayed) {
        const rested = body.background || isTerminal(created.replay.status)
        const ready = rested
          ? Promise.resolve(recall.textOfRow(created.replay)).then(text => envelope(envelopeId, text))
          : commands.atRest(taskId).then(answer)
        return answerWhenReady(reply, ready, stopping)
      }
      if (body.background || isAtRest(created.view)) return sendText(reply, await answer(created.view))
      return answerWhenReady(reply, commands.atRest(taskId).then(answer), stopping)
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
      q.done()
      if (wish.startingAfter !== undefined && wish.endingBefore !== undefined) {
        const msg = 'starting_after and ending_before cannot be given together'
        throw new Invalid([
          { loc: ['query', 'starting_after'], msg, type: 'value_error' },
          { loc: ['query', 'ending_before'], msg, type: 'value_error' },
        ])
      }
      const { userId: own } = request.principal
      // Another user's tasks are not there for this principal.
      if (own !== undefined && wish.userId !== undefined && wish.userId !== own) {
        return sendText(reply, envelope(request.envelopeId, '[]'))
      }
      const found = queries.list(
        { ...wish, statuses: [...new Set(wish.statuses)], userId: own ?? wish.userId },
        own,
      )
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
      async handler(request, reply) {
        const { principal, params, envelopeId } = request
        const done = commands[verb](principal, params.task_id, envelopeId)
        return answerWhenReady(
          reply,
          done.then(view => recall.textOf(view)),
          stopping,
        )
      },
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
