// Describes the built-in agents for GET /agents.
import type { Agent } from '../contract/agent.ts'
import type { AgentInfo } from '../contract/wire.ts'

export const builtinInfos = (agents: readonly Agent[]): AgentInfo[] =>
  agents.map(({ name, description = '', dialect }) => ({
    ...{ name, description, kind: 'builtin' as const, source: 'reprise' },
    ...(dialect === undefined ? {} : { dialect }),
  }))
