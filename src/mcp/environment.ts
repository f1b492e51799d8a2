// Makes a server of the operator an environment: a session has the server's tools, and its instance is a connection.
// The server's state ends with the connection, so such a session is not restored after a restart.
import type { EnvironmentSource, Instance, OpenObject } from '../contract/environment.ts'
import type { EnvironmentInfo } from '../contract/wire.ts'
import type { Connections } from './connections.ts'
import { openInstance } from './environment-instance.ts'
import type { OddTools } from './odd-tools.ts'
import { type McpServer, withVariables } from './server.ts'

export const mcpEnvironmentName = 'mcp'

const source: EnvironmentSource = { name: mcpEnvironmentName, module: 'mcp', className: 'Mcp', digest: '' }

type Deps = {
  configured: ReadonlyMap<string, McpServer>
  connections: Pick<Connections, 'tools' | 'call' | 'follow' | 'isOpen' | 'ended'>
  /** Connections that stay open although no task runs. This kind adds the connections of its instances. */
  inUse: Set<string>
  odd: Pick<OddTools, 'all'>
}

export const createMcpEnvironment = ({ configured, connections, inUse, odd }: Deps) => {
  let opened = 0
  const names = [...configured.keys()]
  const parameters = {
    type: 'object',
    properties: {
      server: {
        type: 'string',
        description: 'A server of the file MCP_CONFIG.',
        ...(names.length === 0 ? {} : { enum: names }),
      },
    },
    required: ['server'],
    additionalProperties: false,
  }

  const open = async (kwargs: OpenObject, variables: Record<string, string>): Promise<Instance> => {
    const known = configured.get(String(kwargs.server))
    if (known === undefined) throw new Error(`server: MCP_CONFIG has no server "${kwargs.server}"`)
    const id = `environment-${++opened}`
    return openInstance(withVariables(known, variables), { id, connections, inUse })
  }

  return {
    source,
    parameters,
    open,
    info: (): EnvironmentInfo => ({
      description:
        'A server of the operator: its tools are those of the session, which does not come back after a restart.',
      name: mcpEnvironmentName,
      source: 'reprise',
      module: mcpEnvironmentName,
      importable: configured.size > 0 ? 'true' : 'false',
      default_params_summary: 'server: string',
      origin: 'builtin',
      ...(configured.size > 0 ? {} : { error: 'MCP_CONFIG names no server' }),
      ...(odd.all().length === 0 ? {} : { odd_tools: odd.all() }),
    }),
  }
}
export type McpEnvironment = ReturnType<typeof createMcpEnvironment>
