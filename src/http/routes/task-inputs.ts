// The routes for what a task gets after its creation (answers to its calls, approvals, messages, rewards), and the route of forks.

import { sendText } from '../answer/send-text.ts'
import { answerWhenReady } from '../answer/slow-answer.ts'
import type { Serving } from '../doors.ts'
import { type App, answersOf, faultOf } from '../request/request.ts'
import { noteReplay, retryOf } from '../request/request-id.ts'
import { route } from '../route.ts'
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

  route(app, 'decideApproval', {
    handler(request, reply) {
      const { principal, params, envelopeId: requestId, body } = request
      const own = answersOf(serving, request, reply)
      const decided = calls.decide({ principal, requestId }, params.task_id, body)
      return answerWhenReady(reply, decided.then(own.holding), stopping, faultOf(serving, request))
    },
  })

  route(app, 'postMessage', {
    async handler(request, reply) {
      const { principal, params, envelopeId: requestId, body } = request
      const retry = retryOf(request)
      const said = await calls.message({ principal, requestId }, params.task_id, body, retry)
      if (said.replayed) noteReplay(reply)
      return sendText(reply, answersOf(serving, request, reply).holding(said.text), faultOf(serving, request))
    },
  })

  route(app, 'forkTask', {
    async handler(request, reply) {
      const { principal, params, envelopeId: requestId, body } = request
      const retry = retryOf(request)
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
