// The route of Chat Completions: /v1/chat/completions.
import { type App, answersOf } from '../../../http/request/request.ts'
import { route } from '../../../http/route.ts'
import { holdStream } from '../../../http/stream/hold-stream.ts'
import { ask, type DoorDeps } from '../../ask.ts'
import { answerTurn, eventText, sendTurn } from '../../send.ts'
import type { Beat } from '../../turns.ts'
import { openAiError } from '../errors.ts'
import { readCompletion } from './request.ts'
import { createChatTeller } from './teller.ts'

export const chatRoutes = (app: App, openAi: DoorDeps): void => {
  const { tasks, agents, serving } = openAi
  route(app, 'createChatCompletion', {
    bodyLimit: tasks.bodyLimit,
    async handler(request, reply) {
      const { body, principal } = request
      if (body.stream) holdStream(serving, request, reply)
      const { pause } = answersOf(serving, request, reply)
      const asked = await readCompletion(body, principal, { tasks, agents, pause })
      const { id, created } = await ask(openAi, request, reply, asked)
      const teller = createChatTeller(created, id)
      if (!body.stream) {
        const finish = () => {
          const failure = teller.failure()
          if (failure !== undefined) throw failure
          return teller.completion()
        }
        return answerTurn(openAi, request, reply, id, { take: teller.tell, finish })
      }
      const withUsage = body.stream_options?.include_usage === true
      const more = withUsage ? { usage: null } : {}
      const textOf = (beats: Beat[]): string => {
        const chunks = beats.flatMap(teller.tell)
        const failure = teller.failure()
        const error = failure === undefined ? '' : eventText(openAiError(failure).body)
        const ends = chunks.some(({ choices }) => choices[0]?.finish_reason != null)
        const texts = chunks.map(chunk => eventText({ ...chunk, ...more }))
        const usage = ends && withUsage ? eventText(teller.usageChunk()) : ''
        return [...texts, usage, error].join('')
      }
      return sendTurn(openAi, request, reply, id, { textOf, last: 'data: [DONE]\n\n' })
    },
  })
}
