// The connections of all tasks to MCP servers. A task shares its connections with its subagents only, because a server
// may remember for each connection what a user has said.
import { availableParallelism } from 'node:os'
import { canonical } from '../contract/canonical.ts'
import { createFairTurns } from '../fairness/fair-turns.ts'
import { type Connection, openConnection } from './connection.ts'
import type { CallResult } from './content.ts'
import { closeEntry, createEntries, type Entry } from './entries.ts'
import { McpFailure } from './failure.ts'
import type { ToolList } from './list-tools.ts'
import type { Outside } from './outside.ts'
import type { McpTool } from './reading/tool.ts'
import type { McpServer } from './server.ts'
import { unlessAborted } from './unless-aborted.ts'

/** The root task, whose connections are shared with its subagents only, and its user. */
export type Caller = { rootTaskId: string; userId: string }
export type Connections = {
  /** Rejects with McpFailure, or when `signal` aborts. */
  tools(server: McpServer, caller: Caller, signal?: AbortSignal): Promise<ToolList>
  call(
    server: McpServer,
    caller: Caller,
    tool: McpTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    hear?: (message: string) => void,
  ): Promise<CallResult>
  /** Whether the task still has its connection to the server. If not, the server's state for the connection is lost. */
  isOpen(server: McpServer, rootTaskId: string): boolean
  /** Closes the connections of a task that has ended, after their present uses. */
  ended(rootTaskId: string): void
  /** Closes all connections; no more are opened. */
  close(): Promise<void>
}

/** Milliseconds after which an unused connection is closed, unless its task still works. */
const idleMs = 60_000
/** At most this many servers start as processes at the same time, and at most half as many for one user. */
const places = Math.max(4, availableParallelism())
const starting = { places, perUser: Math.floor(places / 2) }

type Deps = Outside & {
  /** Whether a task has not ended: its connections stay open while its agent thinks. */
  isWorking: (rootTaskId: string) => boolean
}

export const createConnections = (deps: Deps): Connections => {
  const entries = createEntries()
  const closing = new Set<Promise<void>>()
  const turn = createFairTurns(starting)
  let closed = false

  const shut = (entry: Entry): void => {
    const closed = closeEntry(entry)
    closing.add(closed)
    void closed.finally(() => closing.delete(closed))
  }
  /** Hides the entry from new uses, and closes it when the present uses have ended. */
  const drop = (entry: Entry) => {
    entries.remove(entry)
    entry.dropped = true
    entry.unneeded.abort()
    if (entry.using === 0) shut(entry)
  }

  const entryOf = (server: McpServer, { rootTaskId, userId }: Caller): Entry => {
    const key = canonical(server)
    const known = entries.find(rootTaskId, key)
    if (known !== undefined) return known
    const lost = () => drop(entry)
    const unneeded = new AbortController()
    const open = () => openConnection(server, deps, lost)
    const opening = 'command' in server ? turn(userId, open, unneeded.signal) : open()
    const rest = { using: 0, dropped: false, stopIdling: () => {} }
    const entry: Entry = { key, rootTaskId, opening, unneeded, ...rest }
    opening.catch(lost)
    entries.add(entry)
    return entry
  }

  const idle = (entry: Entry) => {
    entry.stopIdling = deps.timers.after(idleMs, () => {
      if (deps.isWorking(entry.rootTaskId)) idle(entry)
      else drop(entry)
    })
  }

  const use = async <T>(
    server: McpServer,
    caller: Caller,
    signal: AbortSignal | undefined,
    job: (connection: Connection) => Promise<T>,
  ): Promise<T> => {
    if (closed) throw new McpFailure(server.name, 'is not called while Reprise shuts down')
    const entry = entryOf(server, caller)
    entry.using++
    entry.stopIdling()
    try {
      return await job(await unlessAborted(entry.opening, signal))
    } finally {
      entry.using--
      if (entry.using === 0) {
        if (entry.dropped) shut(entry)
        else idle(entry)
      }
    }
  }

  return {
    tools: (server, caller, signal) =>
      use(server, caller, signal, connection => unlessAborted(connection.tools(), signal)),
    call: (server, caller, tool, args, signal, hear) =>
      use(server, caller, signal, connection => connection.call(tool, args, signal, hear)),
    isOpen: (server, rootTaskId) => entries.find(rootTaskId, canonical(server)) !== undefined,
    ended(rootTaskId) {
      for (const entry of entries.of(rootTaskId)) drop(entry)
    },
    async close() {
      closed = true
      for (const entry of entries.clear()) shut(entry)
      await Promise.all(closing)
    },
  }
}
