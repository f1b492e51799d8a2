// GET /agents: which agents there are.
import type { App, Parts } from './parts.ts'
import { route } from './route.ts'

export const agentRoutes = (app: App, { agents }: Parts): void => {
  route(app, 'listAgents', {
    handler: () => ({ object: 'list', data: agents.list }),
  })
}
