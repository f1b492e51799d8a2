// A server of the operator as an environment: its tools are the session's, and the connection is the instance. What the
// server remembers goes with the connection, so such a session does not come back after a restart.
import {
  EnvironmentGone,
  type EnvironmentSource,
  type Instance,
  type Observed,
  type OpenObject,
} from '../contract/environment.ts'
import type { ToolDefinition } from '../contract/wire.ts'
import type { Connections } from './connections.ts'
import { contentOf, wordsOf } from './content.ts'
import { McpFailure } from './failure.ts'
import { type McpServer, withoutSecrets, withVariables } from './server.ts'

export const mcpEnvironmentName = 'mcp'

const parameters = {
  type: 'object',
  properties: { server: { type: 'string', description: 'A server of the file MCP_CONFIG.' } },
  required: ['server'],
  additionalProperties: false,
}
const source: EnvironmentSource = { name: mcpEnvironmentName, module: 'mcp', className: 'Mcp', digest: '' }

type Parts = {
  configured: ReadonlyMap<string, McpServer>
  connections: Pick<Connections, 'tools' | 'call' | 'isOpen' | 'ended'>
  /** Told which connections are kept although no task works. */
  keeps: Set<string>
}

export const createMcpEnvironment = ({ configured, connections, keeps }: Parts) => {
  let opened = 0

  const open = async (kwargs: OpenObject, variables: Record<string, string>): Promise<Instance> => {
    const known = configured.get(String(kwargs.server))
    if (known === undefined) throw new Error(`server: MCP_CONFIG has no server "${kwargs.server}"`)
    const server = withVariables(known, variables)
    const id = `environment-${++opened}`
    const caller = { rootTaskId: id, userId: id } // its user has waited for a turn before
    keeps.add(id)
    let isOver = false
    /** Whether it was called since its connection was opened. */
    let isUsed = false
    /** A server that cannot be asked any more has ended its session. */
    const asked = async <T>(work: Promise<T>): Promise<T> => {
      try {
        return await work
      } catch (error) {
        throw error instanceof McpFailure ? new EnvironmentGone(error.message) : error
      }
    }
    const listed = () => asked(connections.tools(server, caller))
    const definitions = async (): Promise<ToolDefinition[]> =>
      (await listed()).map(({ name, description, inputSchema }) => ({
        type: 'function',
        function: { name, description: description ?? '', parameters: inputSchema, strict: false },
      }))
    const observed = async () => ({ state: { server: server.name }, tools: await definitions(), done: false })
    /** A new connection would know nothing of what the session has done. */
    const mustBeOpen = () => {
      if (connections.isOpen(server, id)) return
      throw new EnvironmentGone(`the MCP server "${server.name}" closed the connection`)
    }
    const quiet = { reward: 0, terminated: false, truncated: false, info: {} }
    const close = async () => {
      if (isOver) return
      isOver = true
      keeps.delete(id)
      connections.ended(id)
    }
    await definitions().catch(async error => {
      await close()
      throw error
    })
    return {
      recovery: 'none',
      // A server knows no reset: it is a new connection.
      async reset() {
        if (isUsed) connections.ended(id)
        isUsed = false
        return { ...(await observed()), observation: {} }
      },
      async step({ tool, args }, { emit, signal }) {
        mustBeOpen()
        const before = await observed()
        const known = (await listed()).find(({ name }) => name === tool)
        const told = { blocks: [], observation: {}, ...quiet }
        const failed = (error: string, seen: Observed = before) =>
          ({ ...told, ...seen, status: 'incomplete', content: error, error }) as const
        if (known === undefined) return failed(`there is no tool "${tool}" any more`)
        isUsed = true
        const result = await connections
          .call(server, caller, known, args, signal, message => emit(`${message}\n`))
          .catch(error => {
            if (signal.aborted) return 'it was canceled'
            if (error instanceof McpFailure && error.isAnswer) return error.message
            return asked(Promise.reject(error))
          })
        // A call may change the tools; what it has told counts, also when nothing can be asked after it.
        const after = await observed().catch(() => before)
        if (typeof result === 'string') return failed(result, after)
        if (result.isError === true) {
          return failed(withoutSecrets(server, wordsOf(result)) || `the tool "${tool}" failed`, after)
        }
        return { ...told, ...after, status: 'completed', content: contentOf(result) }
      },
      async observe() {
        mustBeOpen()
        return observed()
      },
      snapshot: async () => undefined,
      restore: async () => {},
      close,
      gone: new Promise(() => {}), // found out when it is asked
    }
  }

  return {
    source,
    parameters,
    open,
    info: () => ({
      description:
        'A server of the operator: its tools are those of the session, which does not come back after a restart.',
      name: mcpEnvironmentName,
      source: 'reprise',
      module: mcpEnvironmentName,
      importable: configured.size > 0 ? ('true' as const) : ('false' as const),
      default_params_summary: 'server: string',
      origin: 'builtin' as const,
      ...(configured.size > 0 ? {} : { error: 'MCP_CONFIG names no server' }),
    }),
  }
}
export type McpEnvironment = ReturnType<typeof createMcpEnvironment>
