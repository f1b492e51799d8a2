// The tools of this server: its agents, and its kinds of environments.
import { hash } from 'node:crypto'
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

/** A built-in kind without a description is slow to say what it is. */
const isUsable = ({ importable, origin, description }: EnvironmentInfo): boolean =>
  importable === 'true' || (origin === 'builtin' && description === '')

/** The longest name that all hosts accept. */
const longest = 64

/**
 * The kinds by the names of their tools: a class has the name of its file, with its own name if the file has several classes. A name
 * that is too long, or that several kinds would have, gets a digest of what the list of environments calls the kind.
 */
const kindsByTool = async ({ environments }: Pick<McpDeps, 'environments'>) => {
  // The registry of Gymnasium is longer than a list of tools can be.
  const infos = (await environments.list()).filter(each => isUsable(each) && each.source !== 'gymnasium')
  const plainOf = ({ name, module, origin }: EnvironmentInfo): string => {
    if (origin === 'builtin') return `${ofKinds}${name}`
    const isAlone = infos.filter(each => each.module === module).length === 1
    const words = module.replace(/\.\w+$/, '') + (isAlone ? '' : `_${name.slice(module.length + 1)}`)
    return `${ofKinds}${words.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`
  }
  const plain = infos.map(plainOf)
  const toolFor = ({ name, origin }: EnvironmentInfo, own: string): string => {
    const isTaken = plain.filter(each => each === own).length > 1
    if (origin === 'builtin' || (own.length <= longest && !isTaken)) return own
    const digest = hash('sha256', name).slice(0, 8)
    return `${own.slice(0, longest - digest.length - 1)}_${digest}`
  }
  return new Map(infos.map((info, at) => [toolFor(info, plain[at] ?? ''), info]))
}

const stepsOfSession = {
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
}

/** What a new session of the kind takes. References and the like would mean something else inside of another schema. */
const startOf = async ({ environments }: McpDeps, { name, importable }: EnvironmentInfo): Promise<object> => {
  const open = { type: 'object' }
  if (importable !== 'true') return open
  const kind = await environments.resolve(name, undefined)
  return 'refused' in kind || JSON.stringify(kind.parameters).includes('"$')
    ? open
    : { ...open, ...kind.parameters }
}

const toolOfKind = async (deps: McpDeps, tool: string, info: EnvironmentInfo): Promise<Tool> => ({
  name: tool,
  description: `${info.description} The first call begins a session, and its answer names the tools.`.trim(),
  inputSchema: {
    type: 'object',
    properties: { ...stepsOfSession, env_init_kwargs: await startOf(deps, info) },
  },
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
  const kinds = [...(await kindsByTool(deps))].map(([tool, info]) => toolOfKind(deps, tool, info))
  const tools = [
    ...[...agentsByName(deps, principal).values()].map(toolOfAgent),
    ...(await Promise.all(kinds)),
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
    const info = (await kindsByTool(deps)).get(name)
    return info && { kind: info.name }
  }
  await deps.mcp.agentsKnown()
  const agent = name.startsWith(ofAgents)
    ? agentsByName(deps, principal).get(name.slice(ofAgents.length))
    : undefined
  return agent && { agent }
}
