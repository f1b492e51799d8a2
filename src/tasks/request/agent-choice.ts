// Chooses the agent of a task.
import type { Problem } from '../../contract/refusals.ts'
import type { CreateTaskBody } from '../../contract/wire.ts'
import { problem } from './problem.ts'

/** The agents from which the tasks of one user can choose. */
export type AgentChoice = {
  names: readonly string[]
  /** Why no task can begin on an agent of this name now; undefined: it can. Absent: all can. */
  problemOf?: (name: string) => string | undefined
  /** The agent of requests that name none. */
  fallback: string
  /** Whether the operator has configured an MCP server of this name; absent: there is no MCP server. */
  hasMcpServer?: (name: string) => boolean
}

export const agentOf = ({ agent_config, client_id }: Partial<CreateTaskBody>, agents: AgentChoice): string =>
  [agent_config?.agent_id, client_id].find(name => name && agents.names.includes(name)) ?? agents.fallback

/** Whether the agent_id only labels an agent that the request defines: another agent, which `agentOf` chooses, runs the task. */
export const isLabel = ({ agent_config }: Partial<CreateTaskBody>, { names }: AgentChoice): boolean =>
  Boolean(agent_config?.agent_id) && !names.includes(agent_config?.agent_id ?? '')

/** The problem of an unknown agent. A config with instructions or a model of its own may use any agent_id. */
export const unknownAgent = (
  { agent_config }: Partial<CreateTaskBody>,
  { names, problemOf }: AgentChoice,
): Problem[] => {
  const { agent_id, developer_prompt, model } = agent_config ?? {}
  if (!agent_id) return []
  if (names.includes(agent_id)) {
    const why = problemOf?.(agent_id)
    return why === undefined
      ? []
      : [
          problem(
            ['agent_config', 'agent_id'],
            `The agent ${JSON.stringify(agent_id)} cannot be loaded: ${why}`,
          ),
        ]
  }
  if (developer_prompt || model) return []
  const hint = agent_id === 'model' ? '; for the agent model, the server needs MODEL_BASE_URL and MODEL' : ''
  const known = names.toSorted().join(', ')
  const msg = `There is no agent ${JSON.stringify(agent_id)}: the agents are ${known}${hint}`
  return [problem(['agent_config', 'agent_id'], msg)]
}
