// Makes the list of agents that GET /agents returns.
import type { Agent } from '../contract/agent.ts'
import type { AgentInfo } from '../contract/wire.ts'

/** The agents ordered by name. All of them come with the server. */
export const agentList = (agents: readonly Agent[]): AgentInfo[] =>
  agents
    .map(({ name, description = '', dialect }) => ({
      ...{ name, description, kind: 'builtin', source: 'reprise' },
      ...(dialect === undefined ? {} : { dialect }),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
