// MCP servers for tasks, put together: the ways out, the connections, the tools.
import type { Children } from '../children.ts'
import type { Report, Timers } from '../contract/ports.ts'
import { createOutsideFetch } from '../outside/guarded-fetch.ts'
import { type Connections, createConnections } from './connections.ts'
import type { McpServer } from './server.ts'
import { createMcpTools, type McpTools } from './tools.ts'

export type Mcp = McpTools & Pick<Connections, 'ended' | 'close'>

type Parts = {
  /** The operator's servers, by name. */
  configured: ReadonlyMap<string, McpServer>
  /** Whether an IP address may be reached because a caller wants it. */
  mayReach: (address: string) => boolean
  children: Pick<Children, 'start' | 'end'>
  timers: Pick<Timers, 'after'>
  report: Report
  client: { name: string; version: string }
  isWorking: (rootTaskId: string) => boolean
}

export const createMcp = ({ configured, mayReach, ...parts }: Parts): Mcp => {
  const [everywhere, guarded] = [
    createOutsideFetch({ mayReach: () => true }),
    createOutsideFetch({ mayReach }),
  ]
  const connections = createConnections({ ...parts, fetch: everywhere.fetch, guardedFetch: guarded.fetch })
  return {
    ...createMcpTools({ configured, connections }),
    ended: connections.ended,
    async close() {
      await connections.close()
      await Promise.all([everywhere.close(), guarded.close()])
    },
  }
}
