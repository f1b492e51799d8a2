// The connections to MCP servers of all tasks. A task and its subagents share them, and nobody else: a server may
// keep for a connection what one user has told it.
import { availableParallelism } from 'node:os'
import { canonical } from '../contract/canonical.ts'
import { createFairTurns } from '../fairness/fair-turns.ts'
import {
  type CallToolResult,
  type Connection,
  type McpTool,
  type Outside,
  openConnection,
} from './connection.ts'
import { McpFailure } from './failure.ts'
import type { McpServer } from './server.ts'

/** The task that all began with, which has its connections for itself, and the user whose task it is. */
export type Caller = { rootTaskId: string; userId: string }
export type Connections = {
  /** Rejects with McpFailure, or when `signal` aborts. */
  tools(server: McpServer, caller: Caller, signal?: AbortSignal): Promise<McpTool[]>
  call(
    server: McpServer,
    caller: Caller,
    tool: McpTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    hear?: (message: string) => void,
  ): Promise<CallToolResult>
  /** Whether the connection that it was last asked on is still there, with what the server remembers for it. */
  isOpen(server: McpServer, rootTaskId: string): boolean
  /** A task has ended: nobody needs its connections any more. */
  ended(rootTaskId: string): void
  /** Closes them, and opens no more. */
  close(): Promise<void>
}

const idleMs = 60_000
/** Servers that are started as processes at the same time, and of them one user's; the others wait for their turn. */
const most = Math.max(4, availableParallelism())
const starting = { most, mostOfOne: Math.floor(most / 2) }

type Parts = Outside & {
  /** Whether a task still works: what a server keeps for it is not thrown away while it thinks. */
  isWorking: (rootTaskId: string) => boolean
}

type Entry = {
  key: string
  rootTaskId: string
  opening: Promise<Connection>
  /** Aborted when nobody needs it any more: one that still waits for its turn is never opened. */
  unneeded: AbortController
  /** How many wait for it or call at the moment. */
  using: number
  /** Closed when nobody uses it any more. */
  dropped: boolean
  stopIdling: () => void
}

/** Stops waiting when the signal aborts; the work goes on for whoever else waits for it. */
const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return work
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('The call was stopped'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

export const createConnections = (parts: Parts): Connections => {
  /** By task, and there by what the server is configured with. */
  const tasks = new Map<string, Map<string, Entry>>()
  const closing = new Set<Promise<void>>()
  const turn = createFairTurns(starting)
  let closed = false

  const shut = (entry: Entry): Promise<void> => {
    entry.stopIdling()
    entry.unneeded.abort()
    const done = entry.opening.then(
      connection => connection.close(),
      () => {},
    )
    closing.add(done)
    return done.finally(() => closing.delete(done))
  }
  /** No more for new uses; those at hand may find out by themselves. */
  const drop = (entry: Entry) => {
    const entries = tasks.get(entry.rootTaskId)
    if (entries?.get(entry.key) === entry) entries.delete(entry.key)
    if (entries?.size === 0) tasks.delete(entry.rootTaskId)
    entry.dropped = true
    entry.unneeded.abort()
    if (entry.using === 0) void shut(entry)
  }

  const entryOf = (server: McpServer, { rootTaskId, userId }: Caller): Entry => {
    const key = canonical(server)
    const known = tasks.get(rootTaskId)?.get(key)
    if (known !== undefined) return known
    const lost = () => drop(entry)
    const unneeded = new AbortController()
    const open = () => openConnection(server, parts, lost)
    const opening = 'command' in server ? turn(userId, open, unneeded.signal) : open()
    const rest = { using: 0, dropped: false, stopIdling: () => {} }
    const entry: Entry = { key, rootTaskId, opening, unneeded, ...rest }
    opening.catch(lost)
    tasks.set(rootTaskId, (tasks.get(rootTaskId) ?? new Map<string, Entry>()).set(key, entry))
    return entry
  }

  const idle = (entry: Entry) => {
    entry.stopIdling = parts.timers.after(idleMs, () => {
      if (parts.isWorking(entry.rootTaskId)) idle(entry)
      else drop(entry)
    })
  }

  const use = async <T>(
    server: McpServer,
    caller: Caller,
    signal: AbortSignal | undefined,
    job: (connection: Connection) => Promise<T>,
  ): Promise<T> => {
    if (closed) throw new McpFailure(server.name, 'is not called while we shut down')
    const entry = entryOf(server, caller)
    entry.using++
    entry.stopIdling()
    try {
      return await job(await unlessAborted(entry.opening, signal))
    } finally {
      entry.using--
      if (entry.using === 0) {
        if (entry.dropped) void shut(entry)
        else idle(entry)
      }
    }
  }

  return {
    tools: (server, caller, signal) =>
      use(server, caller, signal, connection => unlessAborted(connection.tools(), signal)),
    call: (server, caller, tool, args, signal, hear) =>
      use(server, caller, signal, connection => connection.call(tool, args, signal, hear)),
    isOpen: (server, rootTaskId) => tasks.get(rootTaskId)?.has(canonical(server)) === true,
    ended(rootTaskId) {
      for (const entry of tasks.get(rootTaskId)?.values() ?? []) drop(entry)
    },
    async close() {
      closed = true
      for (const entries of tasks.values()) for (const entry of entries.values()) void shut(entry)
      tasks.clear()
      await Promise.all(closing)
    },
  }
}
