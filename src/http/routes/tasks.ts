// The routes that read, delete, cancel, pause and resume one task.
import { only } from '../../platform/pieces.ts'
import { envelope } from '../answer/envelope.ts'
import { sendText } from '../answer/send-text.ts'
import { answerWhenReady } from '../answer/slow-answer.ts'
import type { ErasureDoor, Serving, TaskDoor } from '../doors.ts'
import { momentOf, seesDeleted } from '../request/moment.ts'
import { readQuery } from '../request/query.ts'
import { type App, answersOf, faultOf, readBy } from '../request/request.ts'
import { route } from '../route.ts'
import { answerErasure, isErasure } from './erasures.ts'
import { createTaskCalls } from './task-calls.ts'

export const taskRoutes = (app: App, tasks: TaskDoor, door: ErasureDoor, serving: Serving): void => {
  const { commands, queries, recall } = tasks
  const { stopping } = serving
  const calls = createTaskCalls(tasks)

  route(app, 'getTask', {
    async handler(request, reply) {
      const { principal, params, query } = request
      const q = readQuery(query)
      const moment = momentOf(q)
      q.done()
      const withDeleted = moment !== undefined && seesDeleted(principal)
      const row = queries.visible(principal, params.task_id, withDeleted)
      readBy(serving, request)(row.id)
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
      if (isErasure(request)) {
        return answerErasure(door, serving, request, reply, { kind: 'task', id: params.task_id })
      }
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
