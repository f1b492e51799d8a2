import type { Client } from '@modelcontextprotocol/client'
import type { Timers } from '../contract/ports.ts'
import type { OddTool } from '../contract/wire.ts'
import { isAnswer, McpFailure } from './failure.ts'
import { maxInstructions, maxListLength, maxTools, openMs, patienceMs } from './limits.ts'
import { cannotRead } from './reading/answers.ts'
import { type Fields, isFields } from './reading/heard.ts'
import { unpacked } from './reading/parcel.ts'
import { type McpTool, type ReadTool, readTool } from './reading/tool.ts'
import { type McpServer, withoutSecrets } from './server.ts'
import { within } from './too-late.ts'

export type ToolList = {
  tools: McpTool[]
  /** The tools that were mended or left out. */
  odd: OddTool[]
  /** What the server says about all of its tools; absent: nothing. */
  instructions?: string
}

/** The code of an error that says that the server does not know the request. */
const methodNotFound = -32_601
/** At most this many odd tools are named. */
const maxOdd = 64

/** The place from which the list continues; undefined: it is complete. */
const cursorOf = ({ nextCursor }: Fields): string | undefined =>
  nextCursor === undefined || nextCursor === null || nextCursor === '' || nextCursor === false
    ? undefined
    : typeof nextCursor === 'string'
      ? nextCursor
      : JSON.stringify(nextCursor)

const isSame = (one: McpTool, other: McpTool): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Of two tools with one name the first counts. */
const listOf = (all: ReadTool[], server: string): ToolList => {
  const tools = new Map<string, McpTool>()
  const odd: OddTool[] = []
  for (const { tool, odd: found } of all) {
    const before = tool === undefined ? undefined : tools.get(tool.name)
    if (tool === undefined || before === undefined) {
      if (tool !== undefined) tools.set(tool.name, tool)
      if (found !== undefined) odd.push({ server, ...found })
    } else if (!isSame(before, tool)) {
      const { name } = tool
      odd.push({ server, name, problem: 'another tool before it has the same name', left_out: true })
    }
  }
  return { tools: [...tools.values()], odd: odd.slice(0, maxOdd) }
}

const instructionsOf = (client: Client, server: McpServer): Pick<ToolList, 'instructions'> => {
  const said = client.getInstructions()?.trim() ?? ''
  return said === '' ? {} : { instructions: withoutSecrets(server, said).slice(0, maxInstructions) }
}

type Page = { tools: unknown[]; cursor: string | undefined }

const pageAt = async (client: Client, server: string, cursor: string | undefined): Promise<Page> => {
  const params = cursor === undefined ? {} : { cursor }
  const page = unpacked(await client.request({ method: 'tools/list', params }, { timeout: 2 * openMs }))
  const tools = isFields(page) ? (page.tools ?? []) : undefined
  if (isFields(page) && Array.isArray(tools)) return { tools, cursor: cursorOf(page) }
  const why = cannotRead('the result of "tools/list" has no list of tools')
  throw new McpFailure(server, why, { isAnswer: true, mayRepeat: true })
}

const pagesOf = async (client: Client, server: string): Promise<ReadTool[]> => {
  const all: ReadTool[] = []
  let size = 0
  let last = ''
  let cursor: string | undefined
  for (let pages = 0; pages < maxTools; pages++) {
    const page = await pageAt(client, server, cursor)
    const text = JSON.stringify(page.tools)
    // A server that takes no notice of the cursor sends the same page for ever.
    if (text === last && page.tools.length > 0) return all
    last = text
    const read = page.tools.map((tool, index) => readTool(tool, all.length + index + 1))
    all.push(...read)
    size += JSON.stringify(read).length
    if (all.length > maxTools) throw new McpFailure(server, `lists more than ${maxTools} tools`)
    if (size > maxListLength) throw new McpFailure(server, 'lists more than 1 MiB of tools')
    cursor = page.cursor
    if (cursor === undefined) return all
  }
  throw new McpFailure(server, 'lists its tools without end')
}

/**
 * Lists all tools of a server, page after page, within a time limit. Throws McpFailure if they exceed the limits.
 */
export const listTools = async (
  client: Client,
  server: McpServer,
  timers: Pick<Timers, 'after'>,
  isSecond = false,
): Promise<ToolList> => {
  // Some servers have tools, but do not declare them. Others do not even answer a request that they do not know.
  const isDeclared = client.getServerCapabilities()?.tools !== undefined
  const pages = pagesOf(client, server.name)
  try {
    const all = await within(timers, server, pages, isDeclared ? openMs : patienceMs)
    return { ...listOf(all, server.name), ...instructionsOf(client, server) }
  } catch (error) {
    const isLate = error instanceof McpFailure && error.isLate
    if (isDeclared || !(isAnswer(error) || isLate)) throw error
    const hasNone = isSecond || isLate || (error as { code?: unknown }).code === methodNotFound
    return hasNone ? { tools: [], odd: [] } : listTools(client, server, timers, true)
  }
}
