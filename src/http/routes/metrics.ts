// GET /metrics, for Prometheus, which needs no token, and the past hour in samples. Neither says anything about any user.
import { sampleSeconds } from '../../metrics/past-hour.ts'
import { listByPosition, rowsAfter } from '../answer/listing.ts'
import type { StateDoor } from '../doors.ts'
import { readQuery } from '../request/query.ts'
import type { App } from '../request/request.ts'
import { route } from '../route.ts'

const list = listByPosition('getPastMetrics')
const timeOf = ({ at }: { at: number }): number => at

export const metricsRoutes = (
  app: App,
  { metrics, pastHour }: Pick<StateDoor, 'metrics' | 'pastHour'>,
): void => {
  route(app, 'getMetrics', {
    async handler(_request, reply) {
      const { contentType, text } = await metrics()
      return reply.type(contentType).send(text)
    },
  })
  route(app, 'getPastMetrics', {
    async handler({ query }) {
      const q = readQuery(query)
      const after = q.integer('after', { min: 0, fallback: 0 })
      const asked = list.asked(q)
      q.done()
      const page = list.answer(rowsAfter(pastHour.after(after), asked, timeOf), asked, timeOf, each => each)
      return { ...page, every_seconds: sampleSeconds }
    },
  })
}
