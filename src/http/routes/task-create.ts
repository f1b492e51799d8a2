// POST /tasks: creates a task, or answers a waiting task. The HTTP answer is the stream of the task's frames, or the
// task: with `background` at once, otherwise when the task has ended, waits or is paused.
import type { FastifyReply } from 'fastify'
import type { Feed, FoldPlace } from '../../bus/feed.ts'
import { Refusal } from '../../contract/refusals.ts'
import type { Pause } from '../../fairness/slices.ts'
import type { Text } from '../../platform/pieces.ts'
import { envelope } from '../answer/envelope.ts'
import { isEndedByUs } from '../answer/pour.ts'
import { sendText } from '../answer/send-text.ts'
import { answerWhenReady } from '../answer/slow-answer.ts'
import type { Serving, TaskDoor } from '../doors.ts'
import { type App, answersOf, faultOf, readBy } from '../request/request.ts'
import { noteReplay, optionalHeader, retryOf, setRequestId } from '../request/request-id.ts'
import { route } from '../route.ts'
import { holdStream } from '../stream/hold-stream.ts'
import { sendTaskStream } from '../stream/task-stream.ts'
import { createTaskCalls, type TaskCallDeps } from './task-calls.ts'

type Tasks = TaskCallDeps & Pick<TaskDoor, 'bodyLimit' | 'notDelivered'>

/** If the caller disconnects before the whole answer is sent: calls `notDelivered` if `made`, cancels if `cancels`. */
export const watchDelivery = (
  { commands, notDelivered }: Pick<Tasks, 'commands' | 'notDelivered'>,
  serving: Serving,
  reply: FastifyReply,
  { taskId, made, cancels }: { taskId: string; made: boolean; cancels: boolean },
): void => {
  const { principal } = reply.request
  const closed = () => {
    if (reply.raw.writableFinished) return
    if (made) notDelivered(taskId)
    if (!cancels || serving.stopping.aborted || isEndedByUs(reply.raw)) return
    commands.cancel(principal, taskId, reply.request.envelopeId, 'disconnected').catch(error => {
      if (!(error instanceof Refusal)) faultOf(serving, reply.request)(error)
    })
  }
  // The caller may have disconnected while its task was being stored.
  if (reply.raw.closed || reply.raw.destroyed) closed()
  else reply.raw.once('close', closed)
}

type Streamed = { taskId: string; feed: Feed; place: FoldPlace; pause: Pause }
const answerStream = async (
  serving: Serving,
  reply: FastifyReply,
  { taskId, ...streamed }: Streamed,
): Promise<FastifyReply> => {
  const { request } = reply
  const location = serving.addressOf(`/v1/tasks/${encodeURIComponent(taskId)}`)
  void reply.headers({ 'x-task-id': taskId, 'content-location': location })
  await sendTaskStream(request, reply, {
    envelopeId: request.envelopeId,
    withIds: false,
    stopping: serving.stopping,
    openStreams: serving.openStreams,
    onFault: faultOf(serving, request),
    ...streamed,
  })
  return reply
}

export const taskCreateRoutes = (app: App, tasks: Tasks, serving: Serving): void => {
  const calls = createTaskCalls(tasks)

  route(app, 'createTask', {
    bodyLimit: tasks.bodyLimit,
    attachValidation: true,
    async handler(request, reply) {
      const { body, principal, validationError } = request
      if (validationError) throw await tasks.requests.invalid(principal, body, validationError)
      if (body.request_id) setRequestId(request, reply, body.request_id)
      if (body.stream) holdStream(serving, request, reply)
      const retry = retryOf(request)
      const own = answersOf(serving, request, reply)
      const onFault = faultOf(serving, request)
      const place = own.place()
      const caller = { principal, requestId: request.envelopeId, place }
      const task = await calls.create(caller, { body, digest: request.bodyDigest }, retry, true)
      if (task.replayed) noteReplay(reply)
      if (task.replayed || !task.made) readBy(serving, request)(task.taskId)
      // A replay whose request names no id is sent with the id of the first request.
      const isNamed = body.request_id || optionalHeader(request, 'x-request-id') !== undefined
      if (!isNamed) setRequestId(request, reply, task.requestId)
      const { envelopeId } = request
      watchDelivery(tasks, serving, reply, {
        taskId: task.taskId,
        made: task.made,
        cancels: body.on_disconnect === 'cancel',
      })
      if (body.stream) {
        const { pause } = own
        return answerStream(serving, reply, { taskId: task.taskId, feed: await task.feed(), place, pause })
      }
      const inEnvelope = (text: Text) => own.holding(envelope(envelopeId, text))
      if (task.isReady) return sendText(reply, inEnvelope(await task.now()), onFault)
      return answerWhenReady(reply, task.rested().then(inEnvelope), serving.stopping, onFault)
    },
  })
}
