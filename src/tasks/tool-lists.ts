// Stores lists of tools in the log, each list once for each user.
import { hash } from 'node:crypto'
import { RevisionConflict, type StreamAppend } from '../contract/stored.ts'
import { type ToolsListed, toolListStream } from '../contract/tool-list-events.ts'
import type { ToolDefinition } from '../contract/wire.ts'
import type { EventLog } from '../log/log.ts'

/** Resolves with the stream of a list for an owner, when the list is stored. Rejects with StorageFailure. */
export type KeepTools = (owner: string, tools: ToolDefinition[]) => Promise<string>

const listOf = (stream: string, owner: string, tools: ToolDefinition[]): StreamAppend => {
  const data: ToolsListed = { tools }
  return {
    stream,
    expectedRevision: -1,
    principal: 'system',
    owner,
    session_id: '',
    correlation_id: stream,
    causation_id: '',
    events: [{ type: 'ToolsListed', schema_version: 1, data }],
  }
}

export const keepTools = (log: EventLog): KeepTools => {
  /** The lists whose append is under way, by stream. */
  const underWay = new Map<string, Promise<unknown>>()

  const store = async (append: StreamAppend): Promise<void> => {
    try {
      await log.append([append])
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error // the list is stored already
    } finally {
      underWay.delete(append.stream)
    }
  }
  return async (owner, tools) => {
    const digest = hash('sha256', JSON.stringify([owner, tools]), 'base64url')
    const stream = toolListStream(digest)
    await log.opened() // after a failed write, only the opened log shows whether it has the list
    const storing = underWay.get(stream)
    if (storing !== undefined) await storing
    else if (log.revisionOf(stream) < 0) {
      const stored = store(listOf(stream, owner, tools))
      underWay.set(stream, stored)
      await stored
    }
    return stream
  }
}
