// Finds the tools that the server itself offers to a task: built-in tools, and agents as subagents.
import type { Tool, ToolScope } from '../contract/tools.ts'
import type { CreateTaskBody, ToolDefinition } from '../contract/wire.ts'
import { trusted } from '../json-schema/checker.ts'
import { isBuiltinOn, isInvited, isSubagentOn } from './allowed-tools.ts'
import { subagentTool } from './subagents.ts'

/** The greatest depth of subagents that call each other. */
const deepest = 8

export const createOwnTools = (builtin: Tool[], agents: string[]) => {
  const tools = new Map(
    builtin.map(tool => {
      const { name, parameters } = tool.definition.function
      return [name, { tool, check: trusted(parameters) }]
    }),
  )
  const subagents = new Map(agents.map(agent => [subagentTool(agent).function.name, agent]))
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
    isSubagent: (name: string): boolean => subagents.has(name),
    /** The agent behind a tool, if this task may call it. */
    subagent(scope: ToolScope, name: string): string | undefined {
      const agent = subagents.get(name)
      return agent !== undefined && mayCall(scope, agent) ? agent : undefined
    },
    /** The subagents that an agent is offered, as tools. */
    subagents: (scope: ToolScope): ToolDefinition[] =>
      agents.filter(agent => isInvited(scope.request, agent) && mayCall(scope, agent)).map(subagentTool),
  }
}
export type OwnTools = ReturnType<typeof createOwnTools>
