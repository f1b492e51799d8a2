// Gives a task the tools of its MCP servers, as ordinary tools.
import { envOf, type Tool, type ToolScope, type ToolSource } from '../contract/tools.ts'
import type { OddTool } from '../contract/wire.ts'
import { answerTo, askUsable, liveAsk } from './asking-call.ts'
import type { Caller, Connections } from './connections.ts'
import { failedContent } from './content.ts'
import { McpFailure } from './failure.ts'
import type { Given } from './input-required.ts'
import { mayBeOf, toolName } from './names.ts'
import type { McpTool } from './reading/tool.ts'
import { type McpHeaders, serversOf } from './request.ts'
import { type McpServer, withoutSecrets, withVariables } from './server.ts'
import { promisedIn, promiseOf } from './server-task.ts'

type Deps = {
  configured: ReadonlyMap<string, McpServer>
  connections: Pick<Connections, 'tools' | 'call' | 'follow'>
  /** Why a schema cannot be used; empty: it can. */
  problemsOf: (schema: object, user: string) => Promise<string[]>
}

/**
 * Works once more after a failure that left nothing done, such as a lost session. The second try has a new connection
 * when the first was lost.
 */
const repeated = async <T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof McpFailure) || !error.mayRepeat || signal?.aborted) throw error
    return work()
  }
}

const definitionOf = (server: McpServer, { name, title, description, inputSchema }: McpTool) => ({
  type: 'function' as const,
  function: {
    name: toolName(server.name, name),
    description: description ?? title ?? '',
    parameters: inputSchema,
    strict: false,
  },
})

/** A tool that is neither offered nor called. */
const leftOut = (server: McpServer, odd: OddTool): Tool => ({
  definition: definitionOf(server, { name: odd.name, inputSchema: { type: 'object' } }),
  odd,
  isSafe: () => false,
  run: async () => {
    throw new Error(odd.problem)
  },
})

export const createMcpTools = ({ configured, connections, problemsOf }: Deps): ToolSource => {
  const asTool = (
    server: McpServer,
    caller: Caller,
    tool: McpTool,
    { odd, instructions }: { odd: OddTool | undefined; instructions: string | undefined },
  ): Tool => {
    const { readOnlyHint, idempotentHint } = tool.annotations ?? {}
    const isSafe = readOnlyHint === true || idempotentHint === true
    return {
      definition: definitionOf(server, tool),
      ...(instructions === undefined
        ? {}
        : { guide: `About the tools of "${server.name}": ${instructions}` }),
      ...(odd === undefined ? {} : { odd }),
      origin: `mcp:${server.name}`,
      isSafe: () => isSafe,
      async run(input) {
        const { arguments: args, emit, signal, promise, promised, asked, user } = input
        const ask = input.ask && askUsable(server, input.ask, schema => problemsOf(schema, user))
        const hear = (message: string) => emit(`${message}\n`)
        const askUser = ask && liveAsk(ask)
        const call = (given?: Given) =>
          repeated(
            () => connections.call(server, caller, tool, args, signal, hear, { given, ask: askUser }),
            signal,
          )
        const answer =
          promise === undefined
            ? await answerTo({ ...input, server, isSafe, call, ask })
            : promisedIn(promise)
        const isTask = 'taskId' in answer
        if (isTask && promise === undefined) await promised?.(promiseOf(answer))
        const result = isTask
          ? await connections.follow(server, caller, answer, signal, hear, { server, ask, asked })
          : answer
        const { content, isError } = result
        if (!isError) return { content }
        const masked = (text: string) => withoutSecrets(server, text)
        return { content: failedContent(content, tool.name, masked), failed: true }
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
        const { tools, odd, instructions } = await repeated(
          () => connections.tools(server, caller, signal),
          signal,
        )
        const mended = new Map(odd.filter(({ left_out }) => !left_out).map(each => [each.name, each]))
        return [
          ...tools.map(tool => asTool(server, caller, tool, { odd: mended.get(tool.name), instructions })),
          ...odd.filter(({ left_out }) => left_out).map(each => leftOut(server, each)),
        ]
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
