// The tools of a task's MCP servers, as tools like any other.
import type { Tool, ToolScope, ToolSource } from '../contract/tools.ts'
import type { McpTool } from './connection.ts'
import type { Caller, Connections } from './connections.ts'
import { contentOf, wordsOf } from './content.ts'
import { mayBeOf, toolName } from './names.ts'
import { type McpHeaders, serversOf } from './request.ts'
import { type McpServer, withoutSecrets } from './server.ts'

type Parts = { configured: ReadonlyMap<string, McpServer>; connections: Pick<Connections, 'tools' | 'call'> }

export const createMcpTools = ({ configured, connections }: Parts): ToolSource => {
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
      async run({ arguments: args, signal }) {
        const result = await connections.call(server, caller, tool, args, signal)
        if (result.isError === true) {
          throw new Error(withoutSecrets(server, wordsOf(result)) || `the tool "${tool.name}" failed`)
        }
        return { content: contentOf(result) }
      },
    }
  }

  const serversIn = ({ request, secrets }: ToolScope): McpServer[] => {
    const config = request.agent_config?.tool_mcp_config
    return serversOf(config, (secrets().tool_mcp_config ?? {}) as McpHeaders, configured)
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
