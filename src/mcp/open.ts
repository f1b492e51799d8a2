// Gives the server the tools of MCP servers, and closes the connections of a task when the task has ended.

import { taskEnds } from '../contract/charts/task-state.ts'
import type { Recorded } from '../contract/stored.ts'
import { taskIdOf } from '../contract/task-stream.ts'
import type { ToolSource } from '../contract/tools.ts'
import type { McpEnvironment } from './environment.ts'
import type { Mcp } from './mcp.ts'

/** Makes the tools of MCP servers. They ask `isWorking` whether a task has not ended yet. */
export type MakeMcp = (isWorking: (taskId: string) => boolean) => Mcp

type Opened = {
  tools: ToolSource
  /** The kind of environment that these tools make; undefined: there are no servers. */
  environment: McpEnvironment | undefined
  close(): Promise<void>
}

const none: Opened = {
  tools: { list: async () => [], find: async () => undefined },
  environment: undefined,
  close: async () => {},
}

/** Without `make` there are no servers. */
export const openMcp = (
  make: MakeMcp | undefined,
  log: { onCommit(listener: (committed: Recorded[]) => void): void },
  isWorking: (taskId: string) => boolean,
): Opened => {
  if (make === undefined) return none
  const mcp = make(isWorking)
  log.onCommit(committed => {
    for (const { header } of committed) if (taskEnds.has(header.type)) mcp.ended(taskIdOf(header.stream))
  })
  return { tools: mcp, environment: mcp.environment, close: mcp.close }
}
