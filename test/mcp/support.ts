// What the tests of MCP have in common: connections on real processes and sockets, in a world whose timers move
// when they are told to.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import type { Report } from '../../src/contract/ports.ts'
import type { ToolScope } from '../../src/contract/tools.ts'
import type { AgentConfig } from '../../src/contract/wire.ts'
import { createOutsideFetch } from '../../src/egress/guarded-fetch.ts'
import { isPublic } from '../../src/egress/public-address.ts'
import { createConnections } from '../../src/mcp/connections.ts'
import { createOddTools } from '../../src/mcp/odd-tools.ts'
import type { McpServer } from '../../src/mcp/server.ts'
import { createMcpTools } from '../../src/mcp/tools.ts'
import { openChildren } from '../../src/platform/children/children.ts'
import { testWorld } from '../support/world.ts'

const servers = path.join(import.meta.dirname, 'servers')

/** A server that is a process, by the name of its file. */
export const processServer = (
  name: string,
  file: 'stdio' | 'hostile' = 'stdio',
  args: string[] = [],
  env: Record<string, string> = {},
): McpServer => ({ name, command: process.execPath, args: [path.join(servers, `${file}.mjs`), ...args], env })

export const placeServer = (name: string, url: string, headers: Record<string, string> = {}): McpServer => ({
  name,
  url,
  headers,
  fromCaller: false,
})

/** A folder that goes with the test. */
export const folderOf = (t: Pick<Test, 'teardown'>): string => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reprise-mcp-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const linesOf = (file: string): string[] => {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1)
  } catch {
    return []
  }
}

/** A process that has ended and that nobody has asked how is none. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    const isZombie = () => /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    return process.platform !== 'linux' || !isZombie()
  } catch {
    return false
  }
}

type Options = { isWorking?: () => boolean }

/** Everything between a task and its servers, the given ones configured. */
export const givenMcp = async (
  t: Pick<Test, 'teardown'>,
  configured: McpServer[] = [],
  { isWorking = () => false }: Options = {},
) => {
  const world = testWorld()
  const folder = folderOf(t)
  const children = await openChildren(path.join(folder, 'children'))
  const [everywhere, guarded] = [() => true, isPublic].map(mayReach => createOutsideFetch({ mayReach }))
  const lines: { level: string; message: string; fields: unknown }[] = []
  const report: Report = (level, message, fields) => void lines.push({ level, message, fields })
  const odd = createOddTools(report)
  const connections = createConnections({
    children,
    timers: world.timers,
    report,
    odd,
    fetch: everywhere?.fetch ?? fetch,
    guardedFetch: guarded?.fetch ?? fetch,
    client: { name: 'test', version: '0' },
    isWorking,
  })
  t.teardown(async () => {
    await connections.close()
    await children.close()
    await everywhere?.close()
    await guarded?.close()
  })
  const tools = createMcpTools({
    configured: new Map(configured.map(server => [server.name, server])),
    connections,
    problemsOf: async () => [],
  })
  /** A task that names all of the configured servers, unless it says otherwise. */
  const scopeOf = (
    rootTaskId = 'task_1',
    config: AgentConfig['tool_mcp_config'] = Object.fromEntries(configured.map(({ name }) => [name, {}])),
    secrets: Record<string, unknown> = {},
  ): ToolScope => ({
    request: { user_message_content: 'x', stream: false, agent_config: { tool_mcp_config: config } },
    taskId: rootTaskId,
    rootTaskId,
    depth: 0,
    userId: 'default',
    sessionId: 's',
    secrets: () => secrets,
  })
  const never = new AbortController().signal
  const call = async (
    name: string,
    args: Record<string, unknown> = {},
    { scope = scopeOf(), signal = never }: { scope?: ToolScope; signal?: AbortSignal } = {},
  ) => {
    const tool = await tools.find(scope, name)
    if (tool === undefined) throw new Error(`no tool ${name}`)
    return (
      await tool.run({
        effectId: 'e',
        arguments: args,
        workdir: folder,
        userFolder: folder,
        disk: { take: async () => {}, giveBack() {} },
        env: {},
        emit() {},
        at: 0,
        user: 'u',
        signal,
      })
    ).content
  }
  const list = (scope = scopeOf(), signal = never) => tools.list(scope, signal)
  return { world, folder, children, connections, tools, scopeOf, call, list, lines }
}
