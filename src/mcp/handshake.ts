// The handshake with an MCP server: over a pipe or HTTP, in the older or the newer version of the protocol.
import type { Client, Transport } from '@modelcontextprotocol/client'
import { isError, refusalIn } from './failure.ts'
import { httpTransport } from './http.ts'
import { openMs, patienceMs } from './limits.ts'
import type { Outside } from './outside.ts'
import { createMcpAnswers } from './reading/answers.ts'
import type { McpServer } from './server.ts'
import { tasksExtension } from './server-task.ts'
import { stdioTransport } from './stdio.ts'
import { within } from './too-late.ts'

type Sdk = typeof import('@modelcontextprotocol/client')

const transportOf = (sdk: Sdk, server: McpServer, outside: Outside): Transport => {
  const { timers } = outside
  const answers = createMcpAnswers(sdk.SUPPORTED_PROTOCOL_VERSIONS)
  if ('command' in server) return stdioTransport(server, { ...outside, answers })
  return httpTransport(sdk, server, {
    fetch: server.fromCaller ? outside.guardedFetch : outside.fetch,
    answers,
    timers,
  })
}

/** Whether the server answered `initialize` with an error. Then it may want a newer version of the protocol. */
const wantsNewer = (error: unknown): boolean =>
  isError(error) || [400, 404, 405].includes(refusalIn(error)?.status ?? 0)

/** Returns a connected client. `toolsChanged` is called whenever the server reports that its tools changed. */
export const openClient = async (
  server: McpServer,
  outside: Outside,
  toolsChanged: () => void,
): Promise<Client> => {
  const sdk: Sdk = await import('@modelcontextprotocol/client') // loaded only when a server is used
  const greet = async (mode: 'legacy' | 'auto', ms: number): Promise<Client> => {
    const client = new sdk.Client(outside.client, {
      versionNegotiation: { mode },
      // Only the newer version has this extension: there a server decides by itself which calls become tasks.
      ...(mode === 'auto' ? { capabilities: { extensions: { [tasksExtension]: {} } } } : {}),
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: toolsChanged } },
    })
    const transport = transportOf(sdk, server, outside)
    try {
      await within(outside.timers, server, client.connect(transport, { timeout: 2 * openMs }), ms)
      return client
    } catch (error) {
      await client.close().catch(() => {})
      await transport.close().catch(() => {}) // the client does not own it before the handshake is complete
      throw error
    }
  }
  if ('command' in server)
    return greet('legacy', openMs).catch(error => {
      if (!wantsNewer(error)) throw error
      return greet('auto', openMs).catch(() => {
        throw error // the reason why the server refuses us
      })
    })
  // A server at a URL is asked for its versions first. One that does not know this question is greeted as ever.
  const either = greet('auto', patienceMs).catch(() => greet('legacy', openMs))
  return within(outside.timers, server, either, openMs)
}
