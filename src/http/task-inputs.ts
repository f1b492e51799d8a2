// The routes for what a task gets after its creation (answers to its calls, messages, rewards), and the route of forks.
import type { Serving } from './doors.ts'
import { type App, answersOf, faultOf } from './request.ts'
import { idHeader, isRetry, noteReplay } from './request-id.ts'
import { route } from './route.ts'
import { sendText } from './send-text.ts'
import { answerWhenReady } from './slow-answer.ts'
import { createTaskCalls, type TaskCallDeps } from './task-calls.ts'

export const taskInputRoutes = (app: App, tasks: TaskCallDeps, serving: Serving): void => {
  const { commands, recall } = tasks
  const { stopping } = serving
  const calls = createTaskCalls(tasks)

  route(app, 'answerCalls', {
    handler(request, reply) {
      const { principal, params, envelopeId: requestId, body } = request
      const own = answersOf(serving, request, reply)
      const answered = calls.answer({ principal, requestId }, params.task_id, body)
      return answerWhenReady(reply, answered.then(own.holding), stopping, faultOf(serving, request))
    },
  })

  route(app, 'postMessage', {
    async handler(request, reply) {
      const { principal, params, envelopeId: requestId, body } = request
      const retry = { key: idHeader(request, 'idempotency-key'), isRetry: isRetry(request) }
      const said = await calls.message({ principal, requestId }, params.task_id, body, retry)
      if (said.replayed) noteReplay(reply)
      return sendText(reply, answersOf(serving, request, reply).holding(said.text), faultOf(serving, request))
    },
  })

  route(app, 'forkTask', {
    async handler(request, reply) {
      const { principal, params, envelopeId: requestId, body } = request
      const retry = { key: idHeader(request, 'idempotency-key'), isRetry: isRetry(request) }
      const forked = await calls.fork({ principal, requestId }, params.task_id, body, retry)
      if (forked.replayed) noteReplay(reply)
      const text = answersOf(serving, request, reply).holding(forked.text)
      return sendText(reply, text, faultOf(serving, request))
    },
  })

  route(app, 'rewardTask', {
    async handler(request, reply) {
      const { principal, params, envelopeId, body } = request
      const { value, name, data } = body
      const reward = { value, ...(name ? { name } : {}), ...(data === undefined ? {} : { data }) }
      const view = await commands.reward(principal, params.task_id, envelopeId, reward)
      const text = answersOf(serving, request, reply).holding(recall.textOf(view))
      return sendText(reply, text, faultOf(serving, request))
    },
  })
}
