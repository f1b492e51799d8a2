// What a task may call, of every source, and where each call leads: the lists of the request decide, then the tool's own
// schema. The agent is told why a call cannot be made, and goes on.
import { envOf, type Tool, type Toolbox, type ToolSource } from '../contract/tools.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'
import { isDenied, isListed } from './allowed-tools.ts'
import { argumentsOf, createPlanner } from './call-plan.ts'
import { createOwnTools } from './own-tools.ts'

type ToolboxDeps = {
  builtin: Tool[]
  /** Agents that can be called by others. */
  agents: string[]
  checker: SchemaChecker
  /** Those of the environment session that the task names: they take the place of ours. */
  session: ToolSource
  mcp: ToolSource
}

export const createToolbox = ({ builtin, agents, checker, session, mcp }: ToolboxDeps): Toolbox => {
  const own = createOwnTools(builtin, agents)
  return {
    async offered(scope, signal) {
      const { request } = scope
      const [steps, servers] = [await session.list(scope, signal), await mcp.list(scope, signal)]
      const ofServer = [...steps, ...own.builtins(request), ...servers]
        .map(tool => tool.definition)
        .filter(({ function: { name } }) => isListed(request, name))
      const seen = new Set<string>()
      return [...(request.client_tools ?? []), ...ofServer, ...own.subagents(scope)].filter(
        ({ function: { name } }) => {
          const isFirst = !seen.has(name) // a client's tool takes the place of ours
          seen.add(name)
          return isFirst && !isDenied(request, name)
        },
      )
    },

    plan: createPlanner({ own, checker, session, mcp }),

    async run(scope, name, input) {
      // A session that has no tools for this task is not awaited, so that the call begins in this turn.
      const ofSession =
        session.isFor?.(scope) === false
          ? undefined
          : await session.find(scope, name, input.signal, input.effectId)
      const tool = ofSession ?? own.find(name) ?? (await mcp.find(scope, name, input.signal))
      const args = argumentsOf(input.arguments)
      if (tool === undefined || args === undefined) throw new Error(`there is no tool "${name}"`)
      return tool.run({ ...input, arguments: args, env: envOf(scope), user: scope.userId })
    },
  }
}
