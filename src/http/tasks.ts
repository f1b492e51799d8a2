// The task operations of the interface.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Feed, FoldPlace } from '../bus/feed.ts'
import { Invalid, Refusal } from '../contract/refusals.ts'
import type { Pause } from '../fairness/slices.ts'
import { only, type Text } from '../platform/pieces.ts'
import type { Moment } from '../tasks/recall.ts'
import type { Serving, TaskDoor } from './doors.ts'
import { envelope } from './envelope.ts'
import { holdStream } from './hold-stream.ts'
import { isEndedByUs } from './pour.ts'
import { isoTime, readQuery } from './query.ts'
import { type App, answersOf, faultOf } from './request.ts'
import { isRetry, noteReplay, optionalHeader, setRequestId, shortHeader } from './request-id.ts'
import { route } from './route.ts'
import { sendText } from './send-text.ts'
import { answerWhenReady } from './slow-answer.ts'
import { createTaskCalls } from './task-calls.ts'
import { sendTaskStream } from './task-stream.ts'

export const taskRoutes = (app: App, tasks: TaskDoor, serving: Serving): void => {
  const { commands, queries, recall } = tasks
  const { stopping, openStreams } = serving
  const calls = createTaskCalls(tasks)

  /** What happens when the caller goes away before its answer is whole. */
  const watchDelivery = (
    reply: FastifyReply,
    taskId: string,
    { made, cancels }: { made: boolean; cancels: boolean },
    principal = reply.request.principal,
  ) => {
    const closed = () => {
      if (reply.raw.writableFinished) return
      if (made) tasks.notDelivered(taskId)
      if (!cancels || stopping.aborted || isEndedByUs(reply.raw)) return
      commands.cancel(principal, taskId, reply.request.envelopeId, 'disconnected').catch(error => {
        if (!(error instanceof Refusal)) faultOf(serving, reply.request)(error)
      })
    }
    // The caller may have gone while its task was being stored.
    if (reply.raw.closed || reply.raw.destroyed) closed()
    else reply.raw.once('close', closed)
  }

  type Told = { taskId: string; feed: Feed; place: FoldPlace; pause: Pause }
  const answerStream = (request: FastifyRequest, reply: FastifyReply, { taskId, ...told }: Told) => {
    void reply.headers({ 'x-task-id': taskId, 'content-location': `/v1/tasks/${encodeURIComponent(taskId)}` })
    const onFault = faultOf(serving, request)
    return sendTaskStream(request, reply, {
      ...told,
      envelopeId: request.envelopeId,
      withIds: false,
      stopping,
      openStreams,
      onFault,
    }).then(() => reply)
  }

  route(app, 'createTask', {
    bodyLimit: tasks.bodyLimit,
    config: { isCreate: true },
    attachValidation: true,
    async handler(request, reply) {
      const { body, principal, validationError } = request
      if (validationError) throw await calls.invalid(principal, body, validationError)
      if (body.request_id) setRequestId(request, reply, body.request_id)
      if (body.stream) holdStream(serving, request, reply)
      const retry = { key: shortHeader(request, 'idempotency-key'), isRetry: isRetry(request) }
      const own = answersOf(serving, request, reply)
      const onFault = faultOf(serving, request)
      const place = own.place()
      const caller = { principal, requestId: request.envelopeId, place }
      const task = await calls.create(caller, { body, digest: request.bodyDigest }, retry, true)
      if (task.replayed) noteReplay(reply)
      // A replay that brings no id of its own is told under the one of the first request.
      const isNamed = body.request_id || optionalHeader(request, 'x-request-id') !== undefined
      if (!isNamed) setRequestId(request, reply, task.requestId)
      const { envelopeId } = request
      watchDelivery(reply, task.taskId, { made: task.made, cancels: body.on_disconnect === 'cancel' })
      if (body.stream) {
        const { pause } = own
        return answerStream(request, reply, { taskId: task.taskId, feed: await task.feed(), place, pause })
      }
      const told = (text: Text) => own.holding(envelope(envelopeId, text))
      if (task.isReady) return sendText(reply, told(await task.now()), onFault)
      return answerWhenReady(reply, task.rested().then(told), stopping, onFault)
    },
  })

  route(app, 'getTask', {
    async handler(request, reply) {
      const moment = momentOf(readQuery(request.query))
      const row = queries.visible(request.principal, request.params.task_id)
      const own = answersOf(serving, request, reply)
      const { envelopeId } = request
      const onFault = faultOf(serving, request)
      if (moment !== undefined) {
        const text = own.folding(pause =>
          only(recall.asOf(row.id, moment, pause).then(text => envelope(envelopeId, text))),
        )
        return sendText(reply, text, onFault)
      }
      const { text, size, isFolded } = recall.ofRow(row, own.pause)
      const told = envelope(envelopeId, text)
      return sendText(reply, isFolded ? own.holding(told) : own.stored(told, size), onFault)
    },
  })

  route(app, 'deleteTask', {
    async handler(request, reply) {
      const { principal, params, envelopeId } = request
      const own = answersOf(serving, request, reply)
      const last = commands.remove(principal, params.task_id, envelopeId)
      return answerWhenReady(
        reply,
        last.then(view => own.holding(envelope(envelopeId, recall.textOf(view)))),
        stopping,
        faultOf(serving, request),
      )
    },
  })

  for (const verb of ['cancel', 'pause', 'resume'] as const) {
    route(app, `${verb}Task`, {
      handler(request, reply) {
        const { principal, params, envelopeId: requestId } = request
        const own = answersOf(serving, request, reply)
        const moved = calls.move(verb, { principal, requestId }, params.task_id)
        return answerWhenReady(reply, moved.then(own.holding), stopping, faultOf(serving, request))
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
  const time = isoTime(text)
  if (time !== undefined) return { time }
  const msg = 'Give the number of a frame, position:N, or an ISO 8601 time'
  throw new Invalid([{ loc: ['query', 'as_of'], msg, type: 'value_error' }])
}
