// What is said to a task after it was created: answers to its calls, messages, and a judgement of it.
import { AnswerCallsBody, PostMessageBody, RewardBody } from '../contract/wire.ts'
import type { App, Parts } from './parts.ts'
import { isRetry, shortHeader } from './request-id.ts'
import { answerWhenReady } from './slow-answer.ts'
import { createTaskCalls } from './task-calls.ts'

type ById = { Params: { task_id: string } }

export const taskInputRoutes = (app: App, parts: Parts): void => {
  const { commands, recall, stopping } = parts
  const calls = createTaskCalls(parts)

  app.route<ById & { Body: AnswerCallsBody }>({
    method: 'POST',
    url: '/tasks/:task_id/input',
    config: { access: 'write' },
    schema: { body: AnswerCallsBody },
    handler: ({ principal, params, envelopeId: requestId, body }, reply) =>
      answerWhenReady(reply, calls.answer({ principal, requestId }, params.task_id, body), stopping),
  })

  app.route<ById & { Body: PostMessageBody }>({
    method: 'POST',
    url: '/tasks/:task_id/messages',
    config: { access: 'write' },
    schema: { body: PostMessageBody },
    async handler(request, reply) {
      const { principal, params, envelopeId: requestId, body } = request
      const retry = { key: shortHeader(request, 'idempotency-key'), isRetry: isRetry(request) }
      const said = await calls.message({ principal, requestId }, params.task_id, body, retry)
      if (said.replayed) void reply.header('idempotency-replayed', 'true')
      return reply.type('application/json; charset=utf-8').send(said.text)
    },
  })

  app.route<ById & { Body: RewardBody }>({
    method: 'POST',
    url: '/tasks/:task_id/reward',
    config: { access: 'write' },
    schema: { body: RewardBody },
    async handler({ principal, params, envelopeId, body }, reply) {
      const { value, name, data } = body
      const reward = { value, ...(name ? { name } : {}), ...(data === undefined ? {} : { data }) }
      const view = await commands.reward(principal, params.task_id, envelopeId, reward)
      return reply.type('application/json; charset=utf-8').send(await recall.textOf(view))
    },
  })
}
