// One connection to an MCP server: the list of its tools, and calls of them.
import type { CallToolResult, Tool as McpTool } from '@modelcontextprotocol/client'
import { failureOf, isAnswer, type McpFailure } from './failure.ts'
import { openClient } from './handshake.ts'
import { callMs, mostProgress } from './limits.ts'
import { listTools } from './list-tools.ts'
import type { Outside } from './outside.ts'
import { type McpServer, withoutSecrets } from './server.ts'
import { tooLate, within } from './too-late.ts'

export type { CallToolResult, McpTool }
export type Connection = {
  /** As the server listed them last, asked again when it has said that they changed. Rejects with McpFailure. */
  tools(): Promise<McpTool[]>
  /**
   * Rejects with McpFailure, or when `signal` aborts, which the server learns. `hear`: what the server says of the
   * progress of the call.
   */
  call(
    tool: McpTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    hear?: (message: string) => void,
  ): Promise<CallToolResult>
  close(): Promise<void>
}

/** Characters of an error that the operator reads. */
const longestReported = 2000

/** Passes on what a server says of its progress, until that is too much. */
const progressTo = (server: McpServer, hear: (message: string) => void) => {
  let room = mostProgress
  return ({ message = '' }: { message?: string | undefined }) => {
    room -= message.length
    if (message !== '' && room >= 0) hear(withoutSecrets(server, message))
  }
}

/**
 * Connects, within 30 s. `onLost` is called once, when the connection is of no use any more, for any reason.
 * Rejects with McpFailure.
 */
export const openConnection = async (
  server: McpServer,
  outside: Outside,
  onLost: () => void,
): Promise<Connection> => {
  /** Few words for who uses the server; for the operator all of them, without the server's secrets. */
  const explained = (error: unknown): McpFailure => {
    const failure = failureOf(server, error)
    const words = error instanceof Error ? error.message : String(error)
    outside.report('debug', failure.message, {
      error: withoutSecrets(server, words).slice(0, longestReported),
    })
    return failure
  }

  let listed: Promise<McpTool[]> | undefined
  const forgetTools = () => {
    listed = undefined
  }
  const client = await openClient(server, outside, forgetTools).catch(error => {
    throw explained(error)
  })

  let lost = false
  const lose = () => {
    if (!lost) onLost()
    lost = true
  }
  client.onclose = lose
  const failed = (error: unknown): McpFailure => {
    // What a server answers leaves the connection as it is; after anything else nobody knows how it stands.
    if (!isAnswer(error)) lose()
    return explained(error)
  }

  return {
    tools() {
      if (listed !== undefined) return listed
      const asked = within(outside.timers, server, listTools(client, server.name)).catch(error => {
        if (listed === asked) forgetTools()
        throw failed(error)
      })
      listed = asked
      return asked
    },
    async call(tool, args, signal, hear) {
      // Whether a result fits the server's own schema is not for us to run; the rest of the definition says which
      // arguments travel as headers.
      const { outputSchema: _, ...toolDefinition } = tool
      const late = new AbortController()
      const cancel = outside.timers.after(callMs, () => late.abort(tooLate(server, callMs)))
      try {
        const params = { name: tool.name, arguments: args }
        const either = AbortSignal.any([signal, late.signal])
        const options = { signal: either, timeout: 2 * callMs, toolDefinition }
        const progress = hear === undefined ? {} : { onprogress: progressTo(server, hear) }
        return await client.callTool(params, { ...options, ...progress })
      } catch (error) {
        if (signal.aborted) throw error
        throw failed(late.signal.aborted ? late.signal.reason : error)
      } finally {
        cancel()
      }
    },
    close: () => client.close().catch(() => {}),
  }
}
