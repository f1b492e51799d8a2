// Combines the kinds of environments: those that run in processes of their own, and the operator's MCP servers.
import type { Instance } from '../contract/environment.ts'
import type { Environments } from '../environments/environments.ts'
import type { Resolved } from '../environments/registry.ts'
import type { McpEnvironment } from '../mcp/environment.ts'

/** Lists and resolves kinds, and opens instances of them. */
export type EnvironmentKinds = Omit<Environments, 'close'>

/** `mcp`: the kind that the tools of MCP servers make; undefined: there are none. */
export const withMcp = (environments: EnvironmentKinds, mcp: McpEnvironment | undefined): EnvironmentKinds =>
  mcp === undefined ? environments : joined(environments, mcp)

const joined = (environments: EnvironmentKinds, mcp: McpEnvironment): EnvironmentKinds => ({
  async resolve(envId, classPath) {
    const resolved: Resolved = { source: mcp.source, recovery: 'none', parameters: mcp.parameters }
    if ((classPath || envId) === mcp.source.name) return resolved
    const other = await environments.resolve(envId, classPath)
    const isDefault = 'refused' in other && other.refused === 'unknown' && other.name === mcp.source.name
    if (isDefault) return resolved
    const isOfAll = 'refused' in other && other.kinds?.some(kind => !kind.includes('#'))
    return isOfAll ? { ...other, kinds: [...(other.kinds ?? []), mcp.source.name] } : other
  },
  list: async () => [...(await environments.list()), mcp.info()],
  info: async name => (name === mcp.source.name ? [mcp.info()] : environments.info(name)),
  open: (source, opening): Promise<Instance> =>
    source.name === mcp.source.name
      ? mcp.open(opening.kwargs, opening.env_vars)
      : environments.open(source, opening),
})
