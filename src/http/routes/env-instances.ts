// The routes that create, reset, observe and close an instance of an environment. The route of steps is in env-step.ts.
import { attemptOf } from '../answer/delivery.ts'
import { answerWith } from '../answer/env-answers.ts'
import { answerWhenReady } from '../answer/slow-answer.ts'
import type { EnvironmentDoor, Serving } from '../doors.ts'
import { type App, askedOf, faultOf } from '../request/request.ts'
import { route } from '../route.ts'

export const envInstanceRoutes = (
  app: App,
  { sessions }: Pick<EnvironmentDoor, 'sessions'>,
  serving: Serving,
): void => {
  route(app, 'createEnv', {
    handler: (request, reply) =>
      answerWith(serving, request, reply, began =>
        sessions.create(askedOf(request), request.body, { ...attemptOf(request, reply), began }),
      ),
  })

  route(app, 'resetEnv', {
    handler: (request, reply) =>
      answerWith(serving, request, reply, began =>
        sessions.reset(askedOf(request), request.body, { ...attemptOf(request, reply), began }),
      ),
  })

  route(app, 'observeEnv', {
    handler(request, reply) {
      const text = sessions
        .observe(askedOf(request), request.body.session_id)
        .then(found => JSON.stringify(found))
      return answerWhenReady(reply, text, serving.stopping, faultOf(serving, request))
    },
  })

  route(app, 'closeEnv', {
    async handler(request) {
      const { session_id } = request.body
      await sessions.close(askedOf(request), session_id)
      return { status: 'closed', message: `session ${session_id} is closed` }
    },
  })
}
