// GET /metrics, for Prometheus. It needs no token and contains nothing about any user.
import type { StateDoor } from './doors.ts'
import type { App } from './request.ts'
import { route } from './route.ts'

export const metricsRoutes = (app: App, { metrics }: Pick<StateDoor, 'metrics'>): void => {
  route(app, 'getMetrics', {
    async handler(_request, reply) {
      const { contentType, text } = await metrics()
      return reply.type(contentType).send(text)
    },
  })
}
