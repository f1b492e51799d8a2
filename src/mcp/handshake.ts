// The handshake with an MCP server: over a pipe or HTTP, in the older or the newer version of the protocol.
import type { Client, Transport } from '@modelcontextprotocol/client'
import { type ElicitationResult, elicitation } from './elicitation.ts'
import { isError, refusalIn } from './failure.ts'
import { httpTransport } from './http.ts'
import { openMs, patienceMs } from './limits.ts'
import type { Outside } from './outside.ts'
import { createMcpAnswers } from './reading/answers.ts'
import type { McpServer } from './server.ts'
import { tasksExtension } from './server-task.ts'
import { stdioTransport } from './stdio.ts'
import { lateAfter, within } from './too-late.ts'

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

type Listener = {
  /** Called whenever the server reports that its tools changed. */
  toolsChanged: () => void
  /** Answers a question to the user; absent: nobody can answer it. */
  elicit: ((params: unknown, withdrawn: AbortSignal) => Promise<ElicitationResult>) | undefined
}

/** Returns a connected client. */
export const openClient = async (
  server: McpServer,
  outside: Outside,
  { toolsChanged, elicit }: Listener,
): Promise<Client> => {
  const sdk: Sdk = await import('@modelcontextprotocol/client') // loaded only when a server is used
  const { timers } = outside
  const end = lateAfter(timers, server, openMs)
  const greet = async (mode: 'legacy' | 'auto', ms?: number): Promise<Client> => {
    const client = new sdk.Client(outside.client, {
      versionNegotiation: { mode },
      // Only the newer version has this extension: there a server decides by itself which calls become tasks.
      capabilities: {
        ...(mode === 'auto' ? { extensions: { [tasksExtension]: {} } } : {}),
        ...(elicit === undefined ? {} : { elicitation }),
      },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: toolsChanged } },
    })
    if (elicit !== undefined) {
      client.setRequestHandler(
        'elicitation/create',
        ({ params }, { mcpReq }) => elicit(params, mcpReq.signal) as never,
      )
    }
    const transport = transportOf(sdk, server, outside)
    try {
      const connected = client.connect(transport, { timeout: 2 * openMs })
      await Promise.race([ms === undefined ? connected : within(timers, server, connected, ms), end.late])
      return client
    } catch (error) {
      await client.close().catch(() => {})
      await transport.close().catch(() => {}) // the client does not own it before the handshake is complete
      throw error
    }
  }
  const greetAsEver = () =>
    greet('legacy').catch(error => {
      if (!wantsNewer(error)) throw error
      return greet('auto').catch(() => {
        throw error // the reason why the server refuses us
      })
    })
  // A server at a URL is soon asked for its versions. One that does not know this question, or is slow, is greeted as ever.
  const greeted = 'command' in server ? greetAsEver() : greet('auto', patienceMs).catch(greetAsEver)
  return greeted.finally(end.cancel)
}
