// What is said to a task after it was created: answers to its calls, messages, and a judgement of it.
import { isEmpty } from '../answers.ts'
import { Invalid, type Problem } from '../contract/refusals.ts'
import { AnswerCallsBody, PostMessageBody, RewardBody } from '../contract/wire.ts'
import type { App, Parts } from './parts.ts'
import { isRetry, shortHeader } from './request-id.ts'
import { answerWhenReady } from './slow-answer.ts'

type ById = { Params: { task_id: string } }

const tooShort = (loc: Problem['loc'], what: string): Invalid =>
  new Invalid([{ loc, msg: `${what} should not be empty`, type: 'too_short' }])

export const taskInputRoutes = (app: App, parts: Parts): void => {
  const { commands, recall, stopping } = parts

  app.route<ById & { Body: AnswerCallsBody }>({
    method: 'POST',
    url: '/tasks/:task_id/input',
    config: { access: 'write' },
    schema: { body: AnswerCallsBody },
    async handler({ principal, params, envelopeId, body }, reply) {
      if (body.tool_results.length === 0) throw tooShort(['body', 'tool_results'], 'List')
      const answers = body.tool_results.map(({ call_id, message_content, block_list, status }) => ({
        callId: call_id,
        itemId: parts.newItemId(),
        ...(status === 'incomplete' ? { failed: true as const } : {}),
        content: message_content,
        blocks: block_list ?? [],
      }))
      const done = commands.input(principal, params.task_id, envelopeId, answers)
      return answerWhenReady(
        reply,
        done.then(view => recall.textOf(view)),
        stopping,
      )
    },
  })

  app.route<ById & { Body: PostMessageBody }>({
    method: 'POST',
    url: '/tasks/:task_id/messages',
    config: { access: 'write' },
    schema: { body: PostMessageBody },
    async handler(request, reply) {
      const { principal, params, envelopeId, body } = request
      if (isEmpty(body.content)) throw tooShort(['body', 'content'], 'Content')
      const key = shortHeader(request, 'idempotency-key')
      const call = { key, isRetry: isRetry(request) }
      const said = await commands.message(principal, params.task_id, envelopeId, body.content, call)
      const text =
        'made' in said
          ? recall.textOf(said.made)
          : recall.textOfRow(parts.queries.visible(principal, said.replay.id))
      if ('replay' in said) void reply.header('idempotency-replayed', 'true')
      return reply.type('application/json; charset=utf-8').send(await text)
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
