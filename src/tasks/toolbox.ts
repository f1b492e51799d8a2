// What a task may call, of every source, and where each call leads: the lists of the request decide, then the
// tool's own schema. A call that cannot be made is told to the agent, which goes on.
import { type CallPlan, envOf, type Tool, type Toolbox, type ToolSource } from '../contract/tools.ts'
import type { CreateTaskBody, ToolDefinition } from '../contract/wire.ts'
import { type SchemaChecker, trusted } from '../json-schema/checker.ts'
import { requestFor, subagentTool } from './subagents.ts'

/** A subagent may call subagents, but not for ever. */
const deepest = 8

const refuse = (why: string): CallPlan => ({ plan: 'refuse', why })
const isOn = (list: string[] | null | undefined, name: string): boolean => list?.includes(name) ?? true

/** The list of forbidden tools holds for every tool, whatever its source. */
const isDenied = (request: CreateTaskBody, name: string): boolean =>
  request.disallowed_tools?.includes(name) === true

/** The lists of allowed tools hold for the tools of the server. Subagents have a list of their own, client tools need none. */
const isListed = (request: CreateTaskBody, name: string): boolean =>
  isOn(request.allowed_tools, name) && isOn(request.agent_config?.allowed_tools, name)

/** JSON text as an object; undefined when it is none. */
const objectOf = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

type Parts = {
  builtin: Tool[]
  /** Agents that can be called by others. */
  agents: string[]
  checker: SchemaChecker
  /** Those of the environment session that the task names: they take the place of ours. */
  session: ToolSource
  mcp: ToolSource
}

export const createToolbox = ({ builtin, agents, checker, session, mcp }: Parts): Toolbox => {
  const byName = new Map(
    builtin.map(tool => {
      const { name, parameters } = tool.definition.function
      return [name, { tool, check: trusted(parameters) }]
    }),
  )
  const subagents = new Map(agents.map(agent => [subagentTool(agent).function.name, agent]))

  const clientTool = (request: CreateTaskBody, name: string) =>
    request.client_tools?.find(tool => tool.function.name === name)
  const builtinTool = (request: CreateTaskBody, name: string) =>
    isOn(request.agent_config?.builtin_tools, name) ? byName.get(name) : undefined
  const subagent = (request: CreateTaskBody, depth: number, name: string) => {
    const agent = subagents.get(name)
    if (agent === undefined || depth >= deepest) return undefined
    const listed =
      isOn(request.allowed_subagents, agent) && isOn(request.agent_config?.builtin_subagents, agent)
    return listed ? agent : undefined
  }

  /** Why arguments do not fit a schema that is not ours; one that cannot be used is for its owner to judge by. */
  const problemsOf = async (
    { function: { parameters } }: ToolDefinition,
    args: object,
    user: string,
  ): Promise<string[]> => {
    if (Object.keys(parameters).length === 0) return []
    const verdict = await checker.check(parameters, args, user)
    return verdict.ok || (await checker.problemsOf(parameters, user)).length > 0 ? [] : verdict.problems
  }

  return {
    async offered(scope, signal) {
      const { request, depth } = scope
      const client = request.client_tools ?? []
      const own = builtin.filter(({ definition }) => builtinTool(request, definition.function.name))
      // Agents without a model are called when somebody names them; nobody is invited to.
      const named = [request.allowed_subagents, request.agent_config?.builtin_subagents]
      const invited = (agent: string) => agent === 'model' || named.some(list => list?.includes(agent))
      const others = agents.filter(
        agent => invited(agent) && subagent(request, depth, subagentTool(agent).function.name),
      )
      const [steps, servers] = [await session.list(scope, signal), await mcp.list(scope, signal)]
      const ofServer = [...steps, ...own, ...servers]
        .map(tool => tool.definition)
        .filter(({ function: { name } }) => isListed(request, name))
      const seen = new Set<string>()
      return [...client, ...ofServer, ...others.map(subagentTool)].filter(({ function: { name } }) => {
        const isFirst = !seen.has(name) // a client's tool takes the place of ours
        seen.add(name)
        return isFirst && !isDenied(request, name)
      })
    },

    async plan(scope, { name, arguments: text }, signal) {
      const { request, depth, userId } = scope
      const notAllowed = () => refuse(`the tool "${name}" is not allowed for this task`)
      if (isDenied(request, name)) return notAllowed()
      const args = objectOf(text)
      const notAnObject = `the arguments of "${name}" must be a JSON object`
      const unfit = (problems: string[]) =>
        refuse(`the arguments do not fit the tool "${name}": ${problems.join('; ')}`)

      const planned = async (tool: Tool, given: Record<string, unknown> | undefined): Promise<CallPlan> => {
        if (given === undefined) return refuse(notAnObject)
        const problems = await problemsOf(tool.definition, given, userId)
        const inSession = tool.inSession === true ? { inSession: true as const } : {}
        return problems.length === 0
          ? { plan: 'run', safe: tool.isSafe(given), ...inSession }
          : unfit(problems)
      }

      const client = clientTool(request, name)
      if (client !== undefined) {
        if (args === undefined) return refuse(notAnObject)
        const problems = await problemsOf(client, args, userId)
        return problems.length === 0 ? { plan: 'client' } : unfit(problems)
      }
      const isOfServer = isListed(request, name)
      const step = isOfServer ? await session.find(scope, name) : undefined
      if (step !== undefined) return planned(step, args)
      const own = isOfServer ? builtinTool(request, name) : undefined
      if (own !== undefined) {
        if (args === undefined) return refuse(notAnObject)
        const verdict = own.check(args)
        return verdict.ok ? { plan: 'run', safe: own.tool.isSafe(args) } : unfit(verdict.problems)
      }
      const agent = subagent(request, depth, name)
      if (agent !== undefined) {
        const input = args?.input
        if (typeof input !== 'string') return refuse(`the arguments of "${name}" must be {"input": "…"}`)
        const asked = requestFor(request, agent, input)
        return 'why' in asked ? refuse(asked.why) : { plan: 'delegate', agent, request: asked.request }
      }
      if (subagents.has(name)) return refuse(`the subagent "${name}" is not allowed here`)
      if (!isOfServer) return notAllowed()
      const ofServer = await mcp.find(scope, name, signal)
      if (ofServer !== undefined) return planned(ofServer, args)
      return refuse(`there is no tool "${name}"`)
    },

    async run(scope, name, input) {
      // Without a wait where there is nothing to wait for: a call that was begun has begun.
      const ofSession =
        session.isFor?.(scope) === false
          ? undefined
          : await session.find(scope, name, input.signal, input.effectId)
      const tool = ofSession ?? byName.get(name)?.tool ?? (await mcp.find(scope, name, input.signal))
      const args = objectOf(input.arguments)
      if (tool === undefined || args === undefined) throw new Error(`there is no tool "${name}"`)
      return tool.run({ ...input, arguments: args, env: envOf(scope), user: scope.userId })
    },
  }
}
