// GET /agents and GET /workers: the agents that tasks may name, and the workers that are connected.
import { listByName, rowsAfter } from '../answer/listing.ts'
import type { AgentDoor } from '../doors.ts'
import { readQuery } from '../request/query.ts'
import type { App } from '../request/request.ts'
import { route } from '../route.ts'

const placeOf = ({ place }: { place: string }): string => place

export const agentRoutes = (app: App, door: AgentDoor): void => {
  for (const [id, rows] of [
    ['listAgents', door.list],
    ['listWorkers', door.workers],
  ] as const) {
    const list = listByName(id)
    route(app, id, {
      async handler(request) {
        const q = readQuery(request.query)
        const asked = list.asked(q)
        q.done()
        const found = rowsAfter(
          rows(request.principal.userId) as { place: string; info: object }[],
          asked,
          placeOf,
        )
        return list.answer(found, asked, placeOf, ({ info }) => info)
      },
    })
  }
}
