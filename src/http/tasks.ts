// The routes that read, delete, cancel, pause and resume one task.
import { Invalid } from '../contract/refusals.ts'
import { only } from '../platform/pieces.ts'
import type { Moment } from '../tasks/recall.ts'
import type { Serving, TaskDoor } from './doors.ts'
import { envelope } from './envelope.ts'
import { isoTime, readQuery } from './query.ts'
import { type App, answersOf, faultOf } from './request.ts'
import { route } from './route.ts'
import { sendText } from './send-text.ts'
import { answerWhenReady } from './slow-answer.ts'
import { createTaskCalls } from './task-calls.ts'

export const taskRoutes = (app: App, tasks: TaskDoor, serving: Serving): void => {
  const { commands, queries, recall } = tasks
  const { stopping } = serving
  const calls = createTaskCalls(tasks)

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

/** The moment that `as_of` names: by the number of a frame, by `position:N`, or by a time. */
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
