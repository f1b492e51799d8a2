// Every kind of environment behind one door: those that run in processes of their own, and the operator's MCP servers.
import type { Instance } from './contract/environment.ts'
import type { Environments } from './environments/environments.ts'
import type { McpEnvironment } from './mcp/environment.ts'

/** Which there are, and instances of them. */
export type EnvironmentKinds = Omit<Environments, 'close'>

export const withMcp = (environments: EnvironmentKinds, mcp: McpEnvironment): EnvironmentKinds => ({
  list: async () => [...(await environments.list()), mcp.info()],
  info: async name => (name === mcp.source.name ? [mcp.info()] : environments.info(name)),
  async resolve(envId, classPath) {
    if ((classPath || envId) !== mcp.source.name) return environments.resolve(envId, classPath)
    return { source: mcp.source, recovery: 'none', parameters: mcp.parameters }
  },
  open: (source, given): Promise<Instance> =>
    source.name === mcp.source.name ? mcp.open(given.kwargs) : environments.open(source, given),
})
