// Finds the tools that the server itself offers to a task: built-in tools, and agents as subagents.
import type { Tool, ToolScope } from '../contract/tools.ts'
import type { CreateTaskBody, ToolDefinition } from '../contract/wire.ts'
import { trusted } from '../json-schema/checker.ts'
import { isBuiltinOn, isInvited, isSubagentOn } from './allowed-tools.ts'
import { subagentPrefix, subagentTool } from './subagents.ts'

/** The greatest depth of subagents that call each other. */
const deepest = 8

/** `agents`: the agents that tasks of a user can call. */
export const createOwnTools = (builtin: Tool[], agents: (user: string) => string[]) => {
  const tools = new Map(
    builtin.map(tool => {
      const { name, parameters } = tool.definition.function
      return [name, { tool, check: trusted(parameters) }]
    }),
  )
  /** The agent behind a tool, allowed or not. */
  const agentOf = (name: string, user: string): string | undefined =>
    name.startsWith(subagentPrefix) && agents(user).includes(name.slice(subagentPrefix.length))
      ? name.slice(subagentPrefix.length)
      : undefined
  const mayCall = ({ request, depth }: ToolScope, agent: string): boolean =>
    depth < deepest && isSubagentOn(request, agent)

  return {
    /** The built-in tool with this name, even if the request does not allow it. */
    find: (name: string): Tool | undefined => tools.get(name)?.tool,
    /** A built-in tool that the request allows, with the check of its arguments. */
    builtin: (request: CreateTaskBody, name: string) =>
      isBuiltinOn(request, name) ? tools.get(name) : undefined,
    /** The built-in tools that an agent is offered. */
    builtins: (request: CreateTaskBody): Tool[] =>
      builtin.filter(({ definition }) => isBuiltinOn(request, definition.function.name)),
    /** Whether a tool is a subagent, allowed or not. */
    isSubagent: ({ userId }: ToolScope, name: string): boolean => agentOf(name, userId) !== undefined,
    /** The agent behind a tool, if this task may call it. */
    subagent(scope: ToolScope, name: string): string | undefined {
      const agent = agentOf(name, scope.userId)
      return agent !== undefined && mayCall(scope, agent) ? agent : undefined
    },
    /** The subagents that an agent is offered, as tools. */
    subagents: (scope: ToolScope): ToolDefinition[] =>
      agents(scope.userId)
        .filter(agent => isInvited(scope.request, agent) && mayCall(scope, agent))
        .map(subagentTool),
  }
}
export type OwnTools = ReturnType<typeof createOwnTools>
