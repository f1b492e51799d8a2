// Wires together the MCP servers of tasks: connections, tools, and access to the network and to processes.

import type { Report, Timers } from '../contract/ports.ts'
import type { ToolSource } from '../contract/tools.ts'
import { createOutsideFetch } from '../egress/guarded-fetch.ts'
import type { Children } from '../platform/children/children.ts'
import { type Connections, createConnections } from './connections.ts'
import { createMcpEnvironment, type McpEnvironment } from './environment.ts'
import { createOddTools } from './odd-tools.ts'
import type { McpServer } from './server.ts'
import { createMcpTools } from './tools.ts'

export type Mcp = ToolSource & Pick<Connections, 'ended' | 'close'> & { environment: McpEnvironment }

type Deps = {
  /** The operator's servers by name. */
  configured: ReadonlyMap<string, McpServer>
  /** Whether an IP address may be reached at the request of a caller. */
  mayReach: (address: string) => boolean
  children: Pick<Children, 'start' | 'end'>
  timers: Pick<Timers, 'after'>
  report: Report
  client: { name: string; version: string }
  isWorking: (rootTaskId: string) => boolean
  /** Why a schema cannot be used; empty: it can. */
  problemsOf: (schema: object, user: string) => Promise<string[]>
}

export const createMcp = ({ configured, mayReach, problemsOf, ...deps }: Deps): Mcp => {
  const [everywhere, guarded] = [
    createOutsideFetch({ mayReach: () => true }),
    createOutsideFetch({ mayReach }),
  ]
  const inUse = new Set<string>()
  const odd = createOddTools(deps.report)
  const connections = createConnections({
    ...deps,
    isWorking: id => inUse.has(id) || deps.isWorking(id),
    odd,
    fetch: everywhere.fetch,
    guardedFetch: guarded.fetch,
  })
  return {
    ...createMcpTools({ configured, connections, problemsOf }),
    environment: createMcpEnvironment({ configured, connections, inUse, odd }),
    ended: connections.ended,
    async close() {
      await connections.close()
      await Promise.all([everywhere.close(), guarded.close()])
    },
  }
}
