// Remembers which tools of the operator's servers are odd, and tells the operator when this changes.
import { canonical } from '../contract/json/canonical.ts'
import type { Report } from '../contract/ports.ts'
import type { OddTool } from '../contract/wire.ts'
import type { McpServer } from './server.ts'

export const createOddTools = (report: Report) => {
  const known = new Map<string, OddTool[]>()
  const tell = (level: 'warn' | 'debug', server: McpServer, odd: OddTool[]) =>
    report(level, `MCP server "${server.name}" lists tools that are odd: they are mended or left out`, {
      tools: odd.map(({ server: _, ...each }) => each),
    })
  return {
    /** Called with each list of tools. A server of a caller is the caller's affair: the task names its odd tools. */
    note(server: McpServer, odd: OddTool[]): void {
      if ('url' in server && server.fromCaller) {
        if (odd.length > 0) tell('debug', server, odd)
        return
      }
      const isNew = canonical(known.get(server.name) ?? []) !== canonical(odd)
      known.set(server.name, odd)
      if (isNew && odd.length > 0) tell('warn', server, odd)
    },
    /** The odd tools of all servers of the operator, as of their latest lists. */
    all: (): OddTool[] => [...known.values()].flat(),
  }
}
export type OddTools = ReturnType<typeof createOddTools>
