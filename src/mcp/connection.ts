// One connection to an MCP server: the handshake, the list of its tools, calls.
import type { CallToolResult, Client, Tool as McpTool, Transport } from '@modelcontextprotocol/client'
import type { Report, Timers } from '../contract/ports.ts'
import type { Fetch } from '../egress/guarded-fetch.ts'
import type { Children } from '../platform/children/children.ts'
import { failureOf, isAnswer, McpFailure } from './failure.ts'
import { httpTransport } from './http.ts'
import { callMs, mostBytes, mostListed, mostProgress, mostTools, openMs } from './limits.ts'
import { type McpServer, withoutSecrets } from './server.ts'
import { stdioTransport } from './stdio.ts'

export type { CallToolResult, McpTool }
export type Connection = {
  /** As the server listed them last, asked again when it has said that they changed. Rejects with McpFailure. */
  tools(): Promise<McpTool[]>
  /**
   * Rejects with McpFailure, or when `signal` aborts, of which the server is told. `hear`: what the server says of the
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

export type Outside = {
  children: Pick<Children, 'start' | 'end'>
  /** For the operator's URLs. */
  fetch: Fetch
  /** For the callers'. */
  guardedFetch: Fetch
  timers: Pick<Timers, 'after'>
  report: Report
  /** How we present ourselves. */
  client: { name: string; version: string }
}

const longestTold = 2000

type Sdk = typeof import('@modelcontextprotocol/client')

const tooLate = (server: McpServer, ms: number) =>
  new McpFailure(server.name, `did not answer in ${ms / 1000} s`)

const transportOf = (sdk: Sdk, server: McpServer, outside: Outside): Transport =>
  'command' in server
    ? stdioTransport(server, { ...outside, buffer: new sdk.ReadBuffer({ maxBufferSize: mostBytes }) })
    : httpTransport(sdk, server, server.fromCaller ? outside.guardedFetch : outside.fetch)

/** Whether a server that was greeted with `initialize`, as all know it, says that it knows a newer way only. */
const wantsNewer = (error: unknown): boolean => {
  const status = (error as { status?: unknown } | undefined)?.status
  return isAnswer(error) || (typeof status === 'number' && [400, 404, 405].includes(status))
}

/**
 * Connects, within 30 s. `onLost` is told once when the connection is of no use any more, whatever the reason.
 * Rejects with McpFailure.
 */
export const openConnection = async (
  server: McpServer,
  outside: Outside,
  onLost: () => void,
): Promise<Connection> => {
  const sdk: Sdk = await import('@modelcontextprotocol/client') // only who uses a server loads it
  let listed: Promise<McpTool[]> | undefined

  /** Gives up on what hangs; it goes on until the connection is closed. */
  const within = async <T>(work: Promise<T>): Promise<T> => {
    let cancel = () => {}
    const late = new Promise<never>((_, reject) => {
      cancel = outside.timers.after(openMs, () => reject(tooLate(server, openMs)))
    })
    return Promise.race([work, late]).finally(() => cancel())
  }

  /** Few words for who uses the server; for the operator all of them, but for what it was told in confidence. */
  const explained = (error: unknown): McpFailure => {
    const failure = failureOf(server, error)
    const words = error instanceof Error ? error.message : String(error)
    outside.report('debug', failure.message, { error: withoutSecrets(server, words).slice(0, longestTold) })
    return failure
  }

  const greet = async (mode: 'legacy' | 'auto'): Promise<Client> => {
    const client = new sdk.Client(outside.client, {
      versionNegotiation: { mode },
      listChanged: {
        tools: {
          autoRefresh: false,
          debounceMs: 0,
          onChanged: () => {
            listed = undefined
          },
        },
      },
    })
    const transport = transportOf(sdk, server, outside)
    try {
      await within(client.connect(transport, { timeout: openMs }))
      return client
    } catch (error) {
      await client.close().catch(() => {})
      await transport.close().catch(() => {}) // which is not the client's before it has negotiated
      throw error
    }
  }
  const client = await greet('legacy')
    .catch(error => {
      if (!wantsNewer(error)) throw error
      return greet('auto')
    })
    .catch(error => {
      throw explained(error)
    })

  let lost = false
  const lose = () => {
    if (!lost) onLost()
    lost = true
  }
  client.onclose = lose

  /** Page after page, whatever the server says of how many there are. */
  const list = async (): Promise<McpTool[]> => {
    if (client.getServerCapabilities()?.tools === undefined) return []
    const tools: McpTool[] = []
    let size = 0
    let cursor: string | undefined
    for (let pages = 0; pages < mostTools; pages++) {
      const params = cursor === undefined ? {} : { cursor }
      const page = await client.request({ method: 'tools/list', params }, { timeout: openMs })
      tools.push(...page.tools)
      size += JSON.stringify(page.tools).length
      if (tools.length > mostTools) throw new McpFailure(server.name, `lists more than ${mostTools} tools`)
      if (size > mostListed) throw new McpFailure(server.name, 'lists more than 1 MiB of tools')
      cursor = page.nextCursor
      if (cursor === undefined) return tools
    }
    throw new McpFailure(server.name, 'lists its tools without end')
  }

  const told = (error: unknown): McpFailure => {
    // What a server answers leaves the connection as it is; after anything else nobody knows how it stands.
    if (!isAnswer(error)) lose()
    return explained(error)
  }

  return {
    tools() {
      if (listed !== undefined) return listed
      const asked = within(list()).catch(error => {
        if (listed === asked) listed = undefined
        throw told(error)
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
        let room = mostProgress
        const onprogress = ({ message = '' }: { message?: string | undefined }) => {
          room -= message.length
          if (message !== '' && room >= 0) hear?.(withoutSecrets(server, message))
        }
        const options = { signal: either, timeout: 2 * callMs, toolDefinition }
        return await client.callTool(params, hear === undefined ? options : { ...options, onprogress })
      } catch (error) {
        if (signal.aborted) throw error
        throw told(late.signal.aborted ? late.signal.reason : error)
      } finally {
        cancel()
      }
    },
    close: () => client.close().catch(() => {}),
  }
}
