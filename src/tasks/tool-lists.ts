// Stores lists of tools in the log, each list once for each user.
import { hash } from 'node:crypto'
import { type ToolsListed, toolListStream } from '../contract/events/tool-list-events.ts'
import type { ToolDefinition } from '../contract/wire.ts'
import type { EventLog } from '../log/log.ts'
import { record } from '../log/record.ts'

/** Resolves with the stream of a list for an owner, when the list is stored. Rejects with StorageFailure. */
export type StoreTools = (owner: string, tools: ToolDefinition[]) => Promise<string>

const bySystem = { principal: 'system', causation: '' }

export const storeTools = (log: EventLog): StoreTools => {
  /** The lists whose append is under way, by stream. */
  const underWay = new Map<string, Promise<unknown>>()

  const store = async (stream: string, owner: string, data: ToolsListed): Promise<void> => {
    try {
      await record(log, stream, [{ type: 'ToolsListed', data }], bySystem, owner)
    } finally {
      underWay.delete(stream)
    }
  }
  return async (owner, tools) => {
    const digest = hash('sha256', JSON.stringify([owner, tools]), 'base64url')
    const stream = toolListStream(digest)
    await log.opened() // after a failed write, only the opened log shows whether it has the list
    const storing = underWay.get(stream)
    if (storing !== undefined) await storing
    else if (log.revisionOf(stream) < 0) {
      const stored = store(stream, owner, { tools })
      underWay.set(stream, stored)
      await stored
    }
    return stream
  }
}
