// GET /agents: which agents there are.
import type { App, Parts } from './parts.ts'

export const agentRoutes = (app: App, { agents }: Parts): void => {
  app.route({
    method: 'GET',
    url: '/agents',
    config: { access: 'read' },
    handler: () => ({ object: 'list', data: agents.list }),
  })
}
