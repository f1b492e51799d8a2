// Chooses the agent of a task.
import type { Problem } from '../../contract/refusals.ts'
import type { CreateTaskBody } from '../../contract/wire.ts'
import { problem } from './problem.ts'

export type AgentChoice = {
  /** The names of all agents. */
  names: readonly string[]
  /** The agent of requests that name none. */
  fallback: string
  /** Whether the operator has configured an MCP server of this name; absent: there is no MCP server. */
  hasMcpServer?: (name: string) => boolean
}

export const agentOf = ({ agent_config, client_id }: Partial<CreateTaskBody>, agents: AgentChoice): string =>
  [agent_config?.agent_id, client_id].find(name => name && agents.names.includes(name)) ?? agents.fallback

/** The problem of an unknown agent. A config with instructions or a model of its own may use any agent_id. */
export const unknownAgent = (
  { agent_config }: Partial<CreateTaskBody>,
  { names }: AgentChoice,
): Problem[] => {
  const { agent_id, developer_prompt, model } = agent_config ?? {}
  if (!agent_id || names.includes(agent_id) || developer_prompt || model) return []
  const hint = agent_id === 'model' ? '; for the agent model, the server needs MODEL_BASE_URL and MODEL' : ''
  const known = names.toSorted().join(', ')
  const msg = `There is no agent ${JSON.stringify(agent_id)}: the agents are ${known}${hint}`
  return [problem(['agent_config', 'agent_id'], msg)]
}
