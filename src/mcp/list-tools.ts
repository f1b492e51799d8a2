import type { Client, Tool } from '@modelcontextprotocol/client'
import { McpFailure } from './failure.ts'
import { maxListLength, maxTools, openMs } from './limits.ts'

/** Lists all tools of a server, page after page. Throws McpFailure if they exceed the limits. */
export const listTools = async (client: Client, server: string): Promise<Tool[]> => {
  if (client.getServerCapabilities()?.tools === undefined) return []
  const tools: Tool[] = []
  let size = 0
  let cursor: string | undefined
  for (let pages = 0; pages < maxTools; pages++) {
    const params = cursor === undefined ? {} : { cursor }
    const page = await client.request({ method: 'tools/list', params }, { timeout: openMs })
    tools.push(...page.tools)
    size += JSON.stringify(page.tools).length
    if (tools.length > maxTools) throw new McpFailure(server, `lists more than ${maxTools} tools`)
    if (size > maxListLength) throw new McpFailure(server, 'lists more than 1 MiB of tools')
    cursor = page.nextCursor
    if (cursor === undefined) return tools
  }
  throw new McpFailure(server, 'lists its tools without end')
}
