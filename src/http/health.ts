// For load balancers and people: is the process alive, and can it take work.
import type { App, Parts } from './parts.ts'
import { route } from './route.ts'

export const healthRoutes = (app: App, { readiness, stopping }: Parts): void => {
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
