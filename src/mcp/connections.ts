// The connections of all tasks to MCP servers. A task shares its connections with its subagents only, because a server
// may remember for each connection what a user has said.
import { availableParallelism } from 'node:os'
import { canonical } from '../contract/json/canonical.ts'
import { createPlaces } from '../fairness/places.ts'
import { type CallAnswer, type CallHow, type Connection, openMcpConnection } from './connection.ts'
import type { CallResult } from './content.ts'
import { McpFailure } from './failure.ts'
import type { ToolList } from './list-tools.ts'
import type { Outside } from './outside.ts'
import type { McpTool } from './reading/tool.ts'
import type { McpServer } from './server.ts'
import { followTask, type ServerTask } from './server-task.ts'
import type { TaskAsks } from './task-questions.ts'

/** A connection of a task, from its first request on. */
type Entry = {
  /** The key of the server's configuration. */
  key: string
  rootTaskId: string
  opening: Promise<Connection>
  /** Aborted when no task needs the connection any more. If it still waits for its turn then, it is never opened. */
  unneeded: AbortController
  /** How many uses run or wait at present. */
  using: number
  /** Whether the connection is to be closed after its last use. */
  dropped: boolean
  stopIdling: () => void
}

/** Closes the entry's connection if it is open; an entry that waits for its turn is not opened. */
const closeEntry = async (entry: Entry): Promise<void> => {
  entry.stopIdling()
  entry.unneeded.abort()
  const connection = await entry.opening.catch(() => undefined)
  await connection?.close()
}

/** The connections that new uses find, by task and then by key. */
const createEntries = () => {
  const tasks = new Map<string, Map<string, Entry>>()
  return {
    find: (rootTaskId: string, key: string): Entry | undefined => tasks.get(rootTaskId)?.get(key),
    of: (rootTaskId: string): Entry[] => [...(tasks.get(rootTaskId)?.values() ?? [])],
    add(entry: Entry): void {
      const entries = tasks.get(entry.rootTaskId) ?? new Map<string, Entry>()
      tasks.set(entry.rootTaskId, entries.set(entry.key, entry))
    },
    /** Removes this entry. Another entry that has the same key stays. */
    remove(entry: Entry): void {
      const entries = tasks.get(entry.rootTaskId)
      if (entries?.get(entry.key) === entry) entries.delete(entry.key)
      if (entries?.size === 0) tasks.delete(entry.rootTaskId)
    },
    /** Removes and returns all entries. */
    clear(): Entry[] {
      const all = [...tasks.values()].flatMap(entries => [...entries.values()])
      tasks.clear()
      return all
    },
  }
}

/** Stops waiting when the signal aborts. The work continues for other callers that wait for it. */

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

/**
 * The root task, whose connections are shared with its subagents only, and its user. `hasNoUser`: nobody can answer questions of the
 * server.
 */
export type Caller = { rootTaskId: string; userId: string; hasNoUser?: true }
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
    how?: CallHow,
  ): Promise<CallAnswer>
  /** The result of a call that the server has answered with a task. Rejects as `call`; an abort cancels the task. */
  follow(
    server: McpServer,
    caller: Caller,
    task: ServerTask,
    signal: AbortSignal,
    hear?: (message: string) => void,
    asks?: TaskAsks,
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
  const starts = createPlaces(starting)
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

  const entryOf = (server: McpServer, { rootTaskId, userId, hasNoUser }: Caller): Entry => {
    const key = canonical(server)
    const known = entries.find(rootTaskId, key)
    if (known !== undefined) return known
    const lost = () => drop(entry)
    const unneeded = new AbortController()
    const open = () => openMcpConnection(server, deps, lost, hasNoUser !== true)
    const opening = 'command' in server ? starts.hold(userId, open, unneeded.signal) : open()
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
    call: (server, caller, tool, args, signal, hear, how) =>
      use(server, caller, signal, connection => connection.call(tool, args, signal, hear, how)),
    follow: (server, caller, task, signal, hear = () => {}, asks = {}) =>
      followTask(task, {
        timers: deps.timers,
        signal,
        hear,
        asks,
        send: (method, params, signal) =>
          use(server, caller, signal, connection => connection.ask(method, params, signal)),
      }),
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
