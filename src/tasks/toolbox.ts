// Offers a task its tools from every source, and decides how each call is handled, by the lists of the request and the
// schema of the tool. An agent learns why a call is refused, and continues.
import { envOf, type Tool, type Toolbox, type ToolSource } from '../contract/tools.ts'
import type { ToolDefinition } from '../contract/wire.ts'
import type { SchemaChecker } from '../json-schema/checker.ts'
import { isDenied, isListed } from './allowed-tools.ts'
import { argumentsOf, createPlanner } from './call-plan.ts'
import { createOwnTools } from './own-tools.ts'

type ToolboxDeps = {
  builtin: Tool[]
  /** The agents that agents of a user can call. */
  agents: (user: string) => string[]
  checker: SchemaChecker
  /** The tools of the environment session that the task names. They replace built-in tools of the same name. */
  session: ToolSource
  mcp: ToolSource
}

/** The definitions of tools. What a source says about all of its tools is said with the first one. */
const guided = (tools: readonly Pick<Tool, 'definition' | 'guide'>[]): ToolDefinition[] => {
  const said = new Set<string>()
  return tools.map(({ definition, guide }) => {
    if (guide === undefined || said.has(guide)) return definition
    said.add(guide)
    const { description = '' } = definition.function
    const both = description === '' ? guide : `${description}\n\n${guide}`
    return { ...definition, function: { ...definition.function, description: both } }
  })
}

export const createToolbox = ({ builtin, agents, checker, session, mcp }: ToolboxDeps): Toolbox => {
  const own = createOwnTools(builtin, agents)
  return {
    async offered(scope, signal) {
      const { request } = scope
      const [steps, servers] = [await session.list(scope, signal), await mcp.list(scope, signal)]
      const ofServer = [...steps, ...own.builtins(request), ...servers]
        .filter(({ odd }) => odd?.left_out !== true)
        .filter(
          ({
            definition: {
              function: { name },
            },
          }) => isListed(request, name),
        )
      const ofOthers = (definition: ToolDefinition) => ({ definition })
      const all = [
        ...(request.client_tools ?? []).map(ofOthers),
        ...ofServer,
        ...own.subagents(scope).map(ofOthers),
      ]
      const seen = new Set<string>()
      const offered = all.filter(
        ({
          definition: {
            function: { name },
          },
        }) => {
          const isFirst = !seen.has(name) // a client's tool replaces a server tool of the same name
          seen.add(name)
          return isFirst && !isDenied(request, name)
        },
      )
      return { tools: guided(offered), odd: servers.flatMap(({ odd }) => odd ?? []) }
    },

    plan: createPlanner({ own, checker, session, mcp }),

    async run(scope, name, input) {
      // Without tools of an environment session, a built-in tool begins at once, without waiting for the session.
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
