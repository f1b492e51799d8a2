// The connections to MCP servers of all tasks. A task and its subagents share them, and nobody else: a server may
// keep for a connection what one user has told it.
import { canonical } from '../contract/canonical.ts'
import {
  type CallToolResult,
  type Connection,
  type McpTool,
  type Outside,
  openConnection,
} from './connection.ts'
import { McpFailure } from './failure.ts'
import type { McpServer } from './server.ts'

export type Connections = {
  /** Rejects with McpFailure, or when `signal` aborts. */
  tools(server: McpServer, rootTaskId: string, signal?: AbortSignal): Promise<McpTool[]>
  call(
    server: McpServer,
    rootTaskId: string,
    tool: McpTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<CallToolResult>
  /** Whether the connection that it was last asked on is still there, with what the server remembers for it. */
  isOpen(server: McpServer, rootTaskId: string): boolean
  /** A task has ended: nobody needs its connections any more. */
  ended(rootTaskId: string): void
  /** Closes them, and opens no more. */
  close(): Promise<void>
}

const idleMs = 60_000

type Parts = Outside & {
  /** Whether a task still works: what a server keeps for it is not thrown away while it thinks. */
  isWorking: (rootTaskId: string) => boolean
}

type Entry = {
  key: string
  rootTaskId: string
  opening: Promise<Connection>
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
  let closed = false

  const shut = (entry: Entry): Promise<void> => {
    entry.stopIdling()
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
    if (entry.using === 0) void shut(entry)
  }

  const entryOf = (server: McpServer, rootTaskId: string): Entry => {
    const key = canonical(server)
    const known = tasks.get(rootTaskId)?.get(key)
    if (known !== undefined) return known
    const lost = () => drop(entry)
    const opening = openConnection(server, parts, lost)
    const entry: Entry = { key, rootTaskId, opening, using: 0, dropped: false, stopIdling: () => {} }
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
    rootTaskId: string,
    signal: AbortSignal | undefined,
    job: (connection: Connection) => Promise<T>,
  ): Promise<T> => {
    if (closed) throw new McpFailure(server.name, 'is not called while we shut down')
    const entry = entryOf(server, rootTaskId)
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
    tools: (server, rootTaskId, signal) =>
      use(server, rootTaskId, signal, connection => unlessAborted(connection.tools(), signal)),
    call: (server, rootTaskId, tool, args, signal) =>
      use(server, rootTaskId, signal, connection => connection.call(tool, args, signal)),
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
