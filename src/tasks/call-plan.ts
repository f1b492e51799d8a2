// Decides how a call of an agent is handled: by the client, by a tool of the server, by a subagent, or by a refusal.

import { readJson } from '../contract/json/exact-json.ts'
import { isExact } from '../contract/json/exact-number.ts'
import type { CallPlan, Tool, Toolbox, ToolSource } from '../contract/tools.ts'
import type { CreateTaskBody, ToolDefinition } from '../contract/wire.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'
import { clientTool, isDenied, isListed } from './allowed-tools.ts'
import type { OwnTools } from './own-tools.ts'
import { requestFor } from './subagents.ts'

/** The arguments of a call; undefined when they are not a JSON object. */
export type Arguments = Record<string, unknown> | undefined

/** Reads JSON text as an object; undefined when the text is not a JSON object. */
export const argumentsOf = (text: string): Arguments => {
  try {
    const value: unknown = readJson(text === '' ? '{}' : text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value) && !isExact(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const refuse = (why: string): CallPlan => ({ plan: 'refuse', why })
const notAllowed = (name: string) => refuse(`the tool "${name}" is not allowed for this task`)
const notAnObject = (name: string) => refuse(`the arguments of "${name}" must be a JSON object`)
const unfit = (name: string, problems: string[]) =>
  refuse(`the arguments do not fit the tool "${name}": ${problems.join('; ')}`)

const planBuiltin = (
  { tool, check }: NonNullable<ReturnType<OwnTools['builtin']>>,
  name: string,
  args: Arguments,
): CallPlan => {
  if (args === undefined) return notAnObject(name)
  const verdict = check(args)
  return verdict.ok ? { plan: 'run', safe: tool.isSafe(args) } : unfit(name, verdict.problems)
}

const planSubagent = (request: CreateTaskBody, agent: string, name: string, args: Arguments): CallPlan => {
  const input = args?.input
  if (typeof input !== 'string') return refuse(`the arguments of "${name}" must be {"input": "…"}`)
  const asked = requestFor(request, agent, input)
  return 'why' in asked ? refuse(asked.why) : { plan: 'delegate', agent, request: asked.request }
}

type PlannerDeps = { own: OwnTools; checker: SchemaChecker; session: ToolSource; mcp: ToolSource }

export const createPlanner = ({ own, checker, session, mcp }: PlannerDeps): Toolbox['plan'] => {
  /**
   * Why arguments do not fit the schema of a tool that is not built in. If the schema cannot be used, the arguments
   * pass: then the client or the server that offers the tool has to check them.
   */
  const problemsOf = async (
    { function: { parameters } }: ToolDefinition,
    args: object,
    user: string,
  ): Promise<string[]> => {
    if (Object.keys(parameters).length === 0) return []
    const verdict = await checker.check(parameters, args, user)
    return verdict.ok || (await checker.problemsOf(parameters, user)).length > 0 ? [] : verdict.problems
  }

  const planClient = async (
    tool: ToolDefinition,
    name: string,
    args: Arguments,
    user: string,
  ): Promise<CallPlan> => {
    if (args === undefined) return notAnObject(name)
    const problems = await problemsOf(tool, args, user)
    return problems.length === 0 ? { plan: 'client' } : unfit(name, problems)
  }

  /** The plan for a call of a tool of the environment session or of an MCP server. */
  const planForeign = async (tool: Tool, name: string, args: Arguments, user: string): Promise<CallPlan> => {
    if (tool.odd?.left_out === true) return refuse(`the tool "${name}" cannot be used: ${tool.odd.problem}`)
    if (args === undefined) return notAnObject(name)
    const problems = await problemsOf(tool.definition, args, user)
    if (problems.length > 0) return unfit(name, problems)
    const inSession = tool.inSession === true ? { inSession: true as const } : {}
    const origin = tool.origin === undefined ? {} : { origin: tool.origin }
    return { plan: 'run', safe: tool.isSafe(args), ...inSession, ...origin }
  }

  return async (scope, { name, arguments: text }, signal) => {
    const { request, userId } = scope
    if (isDenied(request, name)) return notAllowed(name)
    const args = argumentsOf(text)
    const client = clientTool(request, name)
    if (client !== undefined) return planClient(client, name, args, userId)
    const isOfServer = isListed(request, name)
    const step = isOfServer ? await session.find(scope, name) : undefined
    if (step !== undefined) return planForeign(step, name, args, userId)
    const builtin = isOfServer ? own.builtin(request, name) : undefined
    if (builtin !== undefined) return planBuiltin(builtin, name, args)
    const agent = own.subagent(scope, name)
    if (agent !== undefined) return planSubagent(request, agent, name, args)
    if (own.isSubagent(scope, name))
      return refuse(`the subagent "${name}" is not allowed for this task, or is nested too deeply`)
    if (!isOfServer) return notAllowed(name)
    const ofServer = await mcp.find(scope, name, signal)
    return ofServer === undefined
      ? refuse(`there is no tool "${name}"`)
      : planForeign(ofServer, name, args, userId)
  }
}
