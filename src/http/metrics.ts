// GET /metrics, for Prometheus. It needs no token and says nothing of any user.
import type { App, Parts } from './parts.ts'
import { route } from './route.ts'

export const metricsRoutes = (app: App, { metrics }: Pick<Parts, 'metrics'>): void => {
  route(app, 'getMetrics', {
    async handler(_request, reply) {
      const { contentType, text } = await metrics()
      return reply.type(contentType).send(text)
    },
  })
}
