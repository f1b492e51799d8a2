// Marks the answers that this node still owes to other nodes when it no longer owns the event log: a 503 among these
// answers says nothing about the next owner, so the other node can send the request again.
import type { ServerResponse } from 'node:http'
import { notOwnerHeader } from './inside-headers.ts'

/** `node`: the name of this node. */
export const createLateAnswers = (node: string) => {
  const owed = new Set<ServerResponse>()
  return {
    owe(response: ServerResponse): void {
      owed.add(response)
      response.once('close', () => owed.delete(response))
    },
    /** Called when this node is not the owner any more. */
    mark(): void {
      for (const response of owed) if (!response.headersSent) response.setHeader(notOwnerHeader, node)
    },
  }
}
