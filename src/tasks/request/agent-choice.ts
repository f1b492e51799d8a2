// Which agent runs a task.
import type { Problem } from '../../contract/refusals.ts'
import type { CreateTaskBody } from '../../contract/wire.ts'
import { problem } from './problem.ts'

export type AgentChoice = {
  /** Of the agents that there are. */
  names: readonly string[]
  /** The one that runs where none is named. */
  fallback: string
  /** Whether the operator has an MCP server of this name; absent: there is none. */
  hasMcpServer?: (name: string) => boolean
}

export const agentOf = ({ agent_config, client_id }: Partial<CreateTaskBody>, agents: AgentChoice): string =>
  [agent_config?.agent_id, client_id].find(name => name && agents.names.includes(name)) ?? agents.fallback

/** A config that brings instructions or a model of its own may call its agent what it likes. */
export const unknownAgent = (
  { agent_config }: Partial<CreateTaskBody>,
  { names }: AgentChoice,
): Problem[] => {
  const { agent_id, developer_prompt, model } = agent_config ?? {}
  if (!agent_id || names.includes(agent_id) || developer_prompt || model) return []
  const hint = agent_id === 'model' ? '; model is there once the server has MODEL_BASE_URL and MODEL' : ''
  const known = names.toSorted().join(', ')
  const msg = `There is no agent ${JSON.stringify(agent_id)}: the agents are ${known}${hint}`
  return [problem(['agent_config', 'agent_id'], msg)]
}
