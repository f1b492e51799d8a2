// Sends the requests of a session to the MCP server that is the environment of the session. If the server cannot be
// used any more, the session ends.
import { EnvironmentGone, type Observed, type OpenObject } from '../contract/environment.ts'
import type { ToolDefinition } from '../contract/wire.ts'
import type { Connections } from './connections.ts'
import type { CallResult } from './content.ts'
import { McpFailure } from './failure.ts'
import { isMore } from './input-required.ts'
import { plainName } from './names.ts'
import type { McpTool } from './reading/tool.ts'
import type { McpServer } from './server.ts'

export type Watch = { emit(text: string): void; signal: AbortSignal }

const definitionOf = ({ name, title, description, inputSchema }: McpTool): ToolDefinition => ({
  type: 'function',
  function: {
    name: plainName(name),
    description: description ?? title ?? '',
    parameters: inputSchema,
    strict: false,
  },
})

/** `id` is the key of the session's connection. Functions throw EnvironmentGone when the server cannot be used. */
export const askedServer = (
  server: McpServer,
  id: string,
  connections: Pick<Connections, 'tools' | 'call' | 'follow' | 'isOpen'>,
) => {
  // Each session counts as a user of its own here, because its creation has waited for a turn of its real user.
  const caller = { rootTaskId: id, userId: id, hasNoUser: true } as const
  const asked = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw error instanceof McpFailure ? new EnvironmentGone(error.message) : error
    }
  }
  /** A list that failed once is asked for again on the same connection: another one lacks the state of the session. */
  const listed = () =>
    asked(
      connections.tools(server, caller).catch(error => {
        if (!(error instanceof McpFailure && error.isAnswer)) throw error
        return connections.tools(server, caller)
      }),
    )
  return {
    server,
    toolNamed: async (name: string): Promise<McpTool | undefined> =>
      (await listed()).tools.find(tool => plainName(tool.name) === name),
    async observed(): Promise<Observed> {
      const { tools, odd } = await listed()
      const state = { server: server.name, ...(odd.length === 0 ? {} : { odd_tools: odd }) }
      return { state, tools: tools.map(definitionOf), done: false }
    },
    /** Throws when the connection is lost: a new connection would lack the state of the session. */
    mustBeOpen(): void {
      if (connections.isOpen(server, id)) return
      throw new EnvironmentGone(`the MCP server "${server.name}" closed the connection`)
    },
    /** Resolves with a text when the call failed and the session continues. */
    call: (tool: McpTool, args: OpenObject, { emit, signal }: Watch): Promise<CallResult | string> =>
      connections
        .call(server, caller, tool, args, signal, message => emit(`${message}\n`))
        .then(result => {
          if (isMore(result)) return 'the server asks for more than the call gave it'
          if (!('taskId' in result)) return result
          return connections.follow(server, caller, result, signal, message => emit(`${message}\n`))
        })
        .catch(error => {
          if (signal.aborted) return 'it was canceled'
          if (error instanceof McpFailure && error.isAnswer) return error.message
          return asked(Promise.reject(error))
        }),
  }
}
export type AskedServer = ReturnType<typeof askedServer>
