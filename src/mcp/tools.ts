// Gives a task the tools of its MCP servers, as ordinary tools.
import { envOf, type Tool, type ToolScope, type ToolSource } from '../contract/tools.ts'
import type { McpTool } from './connection.ts'
import type { Caller, Connections } from './connections.ts'
import { contentOf, wordsOf } from './content.ts'
import { mayBeOf, toolName } from './names.ts'
import { type McpHeaders, serversOf } from './request.ts'
import { type McpServer, withoutSecrets, withVariables } from './server.ts'

type Deps = { configured: ReadonlyMap<string, McpServer>; connections: Pick<Connections, 'tools' | 'call'> }

export const createMcpTools = ({ configured, connections }: Deps): ToolSource => {
  const asTool = (server: McpServer, caller: Caller, tool: McpTool): Tool => {
    const { readOnlyHint, idempotentHint } = tool.annotations ?? {}
    return {
      definition: {
        type: 'function',
        function: {
          name: toolName(server.name, tool.name),
          description: tool.description ?? tool.title ?? '',
          parameters: tool.inputSchema,
          strict: false,
        },
      },
      isSafe: () => readOnlyHint === true || idempotentHint === true,
      async run({ arguments: args, emit, signal }) {
        const result = await connections.call(server, caller, tool, args, signal, message =>
          emit(`${message}\n`),
        )
        if (result.isError === true) {
          throw new Error(withoutSecrets(server, wordsOf(result)) || `the tool "${tool.name}" failed`)
        }
        return { content: contentOf(result) }
      },
    }
  }

  const serversIn = (scope: ToolScope): McpServer[] => {
    const config = scope.request.agent_config?.tool_mcp_config
    const headers = (scope.secrets().tool_mcp_config ?? {}) as McpHeaders
    return serversOf(config, headers, configured).map(server => withVariables(server, envOf(scope)))
  }
  const toolsOf = async (
    servers: McpServer[],
    caller: Caller,
    signal: AbortSignal | undefined,
  ): Promise<Tool[]> => {
    const lists = await Promise.all(
      servers.map(async server => {
        const tools = await connections.tools(server, caller, signal)
        return tools.map(tool => asTool(server, caller, tool))
      }),
    )
    return lists.flat()
  }

  return {
    list: async (scope, signal) => toolsOf(serversIn(scope), scope, signal),
    async find(scope, name, signal) {
      const servers = serversIn(scope).filter(server => mayBeOf(server.name, name))
      const tools = await toolsOf(servers, scope, signal)
      return tools.find(({ definition }) => definition.function.name === name)
    },
  }
}
