// Stores lists of tools in the log, each list once for each user.
import { hash } from 'node:crypto'
import { type Log, RevisionConflict } from '../contract/stored.ts'
import { type ToolsListed, toolListStream } from '../contract/tool-list-events.ts'
import type { ToolDefinition } from '../contract/wire.ts'

/** Resolves with the stream of a list for an owner. The stream is in the log then, but may not be durable yet. */
export type KeepTools = (owner: string, tools: ToolDefinition[]) => Promise<string>

export const keepTools =
  (log: Log): KeepTools =>
  async (owner, tools) => {
    const digest = hash('sha256', JSON.stringify([owner, tools]), 'base64url')
    const stream = toolListStream(digest)
    if (log.revisionOf(stream) >= 0) return stream
    const data: ToolsListed = { tools }
    const append = {
      stream,
      expectedRevision: -1,
      principal: 'system',
      owner,
      session_id: '',
      correlation_id: stream,
      causation_id: '',
      events: [{ type: 'ToolsListed', schema_version: 1, data }],
    }
    await log.append([append]).catch(error => {
      if (!(error instanceof RevisionConflict)) throw error // another task stored the list first
    })
    return stream
  }
