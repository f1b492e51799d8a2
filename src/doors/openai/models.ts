// The routes of models: /v1/models. A model is an agent that the caller may use.
import type { AgentInfo } from '../../contract/wire.ts'
import type { App } from '../../http/request/request.ts'
import { route } from '../../http/route.ts'
import { agentsOf } from '../agents.ts'
import type { DoorDeps } from '../ask.ts'
import { mustBeAgent } from './agent.ts'

/** OpenAI wants a time of creation. Agents that come with a server have none. */
const modelOf = ({ name, source, connected_at }: AgentInfo) => ({
  id: name,
  object: 'model',
  created: connected_at ?? 0,
  owned_by: source,
})

export const modelRoutes = (app: App, { agents }: Pick<DoorDeps, 'agents'>): void => {
  route(app, 'listModels', {
    async handler({ principal }) {
      const data = agentsOf(agents, principal).map(modelOf)
      return { object: 'list', data: data.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }
    },
  })

  route(app, 'getModel', {
    async handler({ principal, params: { model } }) {
      mustBeAgent(agents, principal, model)
      return modelOf(agentsOf(agents, principal).find(({ name }) => name === model) as AgentInfo)
    },
  })
}
