// A session of an editor: a chat session of the server, and what this process knows of it beside.
import type { AgentContext, ClientCapabilities, McpServer, SessionUpdate } from '@agentclientprotocol/sdk'
import { methods } from '@agentclientprotocol/sdk'
import type { TaskFrame } from '../../../library/client/index.ts'
import { createTurns } from '../../platform/turns.ts'
import type { Pending, Server } from './server.ts'

/** Where a session works. `cwd`: the folder of the project, on the machine of the editor. */
export type Place = { readonly id: string; readonly cwd: string }

/** A task that goes on, with the last frame that was told. */
export type Unended = { taskId: string; latest: TaskFrame | undefined }

export type Session = Place & {
  cwd: string
  mcpServers: readonly McpServer[]
  /** Loads of the session, and starts of what is followed, come one after the other: each frame is told by one of them. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>
  /** The tools of the editor that may always run. */
  readonly allowed: Set<string>
  /** The tasks that this process follows. Each waits when it is told that a load tells the session again, and goes on from there. */
  readonly running: Map<string, (told: Promise<readonly Unended[]>) => void>
  /** How often the user has canceled. */
  cancels: number
  /** The questions of a task that the next prompts answer. `last`: the number of the last frame that was told. */
  asked: { taskId: string; last: number; questions: Pending[] } | undefined
}

/** An editor at the other end. */
export type Editor = {
  readonly client: AgentContext
  readonly capabilities: ClientCapabilities
  readonly server: Server
  /** Aborts when the connection has closed. */
  readonly gone: AbortSignal
}

export const sessionOf = (id: string, cwd: string, mcpServers: readonly McpServer[]): Session => ({
  id,
  cwd,
  mcpServers,
  inTurn: createTurns(),
  allowed: new Set(),
  running: new Map(),
  cancels: 0,
  asked: undefined,
})

/** Sends updates, one after the other. */
export const tell = async (
  { client }: Pick<Editor, 'client'>,
  { id: sessionId }: Place,
  updates: readonly SessionUpdate[],
): Promise<void> => {
  for (const update of updates) await client.notify(methods.client.session.update, { sessionId, update })
}
