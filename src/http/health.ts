// For load balancers and people: is the process alive, and can it take work.
import type { App, Parts } from './parts.ts'

export const healthRoutes = (app: App, { readiness, stopping }: Parts): void => {
  app.route({
    method: 'GET',
    url: '/healthz',
    config: { access: 'open' },
    handler: async () => ({ status: 'ok' }),
  })
  app.route({
    method: 'GET',
    url: '/readyz',
    config: { access: 'open' },
    async handler(_request, reply) {
      const state = readiness()
      const ready = state.log === 'ok' && state.read_models === 'ok' && !stopping.aborted
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', ...state })
    },
  })
}
