// GET /agents: the list of agents.
import type { AgentInfo } from '../contract/wire.ts'
import type { App } from './request.ts'
import { route } from './route.ts'

export const agentRoutes = (app: App, agents: readonly AgentInfo[]): void => {
  route(app, 'listAgents', {
    handler: () => ({ object: 'list', data: agents }),
  })
}
