// The tools of this server: its agents, and its kinds of environments.
import type { Principal } from '../../contract/events/token-events.ts'
import type { AgentInfo, EnvironmentInfo } from '../../contract/wire.ts'
import { agentsOf } from '../agents.ts'
import { isRecord, type McpDeps } from './exchange.ts'

const ofAgents = 'agent_'
const ofKinds = 'env_'

/** Clients refuse other names. */
const isToolName = (name: string): boolean => /^[A-Za-z0-9_.-]{1,128}$/.test(name)

/** The parameters of an agent, if they describe the arguments of a tool. */
export const parametersOf = ({ parameters }: AgentInfo): Record<string, unknown> | undefined =>
  isRecord(parameters) && (parameters.type ?? 'object') === 'object' ? parameters : undefined

const message = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The message for the agent.' } },
  required: ['input'],
}

/** Clients of 2025-11-25 call a tool that requires tasks only with their kind of tasks, which is not there. */
const supportIn2025 = { required: 'optional', optional: 'optional', none: 'forbidden' } as const

type Tool = { name: string; description: string; inputSchema: object; execution?: { taskSupport: string } }

const toolOfAgent = (agent: AgentInfo): Tool => {
  const parameters = parametersOf(agent)
  return {
    name: `${ofAgents}${agent.name}`,
    description: agent.description || `Runs the agent ${agent.name}.`,
    inputSchema: parameters === undefined ? message : { type: 'object', ...parameters },
    execution: { taskSupport: supportIn2025[agent.task_support ?? 'optional'] },
  }
}

/** The kinds of the server can be used, also when they are slow to say what they are. */
const isUsable = ({ importable, origin }: EnvironmentInfo): boolean =>
  importable === 'true' || origin === 'builtin'

const stepsOfSession = {
  type: 'object',
  properties: {
    session_id: {
      type: 'string',
      description: 'The session to go on with. Without it, a new session begins.',
    },
    tool: {
      type: 'string',
      description: 'The tool of the environment to call. Without it, the answer is what the session shows.',
    },
    arguments: { type: 'object', description: 'The arguments of this tool.' },
    close: { type: 'boolean', description: 'true: closes the session.' },
  },
}

const toolOfKind = ({ name, description }: EnvironmentInfo): Tool => ({
  name: `${ofKinds}${name}`,
  description: `${description} The first call begins a session, and its answer names the tools.`.trim(),
  inputSchema: stepsOfSession,
})

/** The agents by name. An agent of the caller's own hides another one of its name. */
const agentsByName = ({ agents }: Pick<McpDeps, 'agents'>, principal: Principal): Map<string, AgentInfo> => {
  const known = new Map<string, AgentInfo>()
  for (const info of agentsOf(agents, principal))
    if (info.user_id !== undefined || !known.has(info.name)) known.set(info.name, info)
  return known
}

export const toolsFor = async (deps: McpDeps, principal: Principal) => {
  await deps.mcp.agentsKnown()
  const kinds = await deps.environments.list()
  const tools = [
    ...[...agentsByName(deps, principal).values()].map(toolOfAgent),
    ...kinds.filter(isUsable).map(toolOfKind),
  ]
  return tools.filter(({ name }) => isToolName(name)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** What a call of a tool means; undefined: there is no such tool. */
export const calledBy = async (
  deps: McpDeps,
  principal: Principal,
  name: string,
): Promise<{ agent: AgentInfo } | { kind: string } | undefined> => {
  if (name.startsWith(ofKinds)) {
    const kind = name.slice(ofKinds.length)
    const infos = await deps.environments.info(kind)
    return infos.some(info => info.name === kind && isUsable(info)) ? { kind } : undefined
  }
  await deps.mcp.agentsKnown()
  const agent = name.startsWith(ofAgents)
    ? agentsByName(deps, principal).get(name.slice(ofAgents.length))
    : undefined
  return agent && { agent }
}
