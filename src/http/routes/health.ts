// GET /healthz and GET /readyz: whether the process is alive, and whether it can accept work.
import type { Serving, StateDoor } from '../doors.ts'
import type { App } from '../request/request.ts'
import { route } from '../route.ts'

export const healthRoutes = (
  app: App,
  { readiness }: Pick<StateDoor, 'readiness'>,
  { stopping }: Pick<Serving, 'stopping'>,
): void => {
  route(app, 'getHealth', {
    handler: async () => ({ status: 'ok' }),
  })
  route(app, 'getReadiness', {
    async handler(_request, reply) {
      const state = readiness()
      const ready = state.log === 'ok' && state.read_models === 'ok' && !stopping.aborted
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', ...state })
    },
  })
}
