// Ends a WebSocket connection, whether the client or the server wants the end. The end happens only once, and releases
// everything that the connection holds.
import type { WebSocket } from 'ws'
import { Refusal } from '../../contract/refusals.ts'
import { type CloseReason, closeCodes } from '../../contract/socket.ts'
import { closeWords } from './words.ts'

/** The reason to close a connection that failed to authenticate: `forbidden` if its token's role may not follow. */
export const endOfStranger = (error: unknown): CloseReason =>
  error instanceof Refusal && error.reason === 'Forbidden' ? 'forbidden' : 'unauthenticated'

export type Closing = ReturnType<typeof createClosing>

export const createClosing = (ws: WebSocket) => {
  const jobs: (() => void)[] = []
  let isOver = false
  /** Runs all jobs of the end. Returns false if they have run before. */
  const release = (): boolean => {
    if (isOver) return false
    isOver = true
    for (const job of jobs) job()
    return true
  }
  return {
    isOver: () => isOver,
    /** Registers a job for the end. Jobs run in the order in which they were registered. */
    atEnd: (job: () => void): void => void jobs.push(job),
    release,
    /** Ends the connection from the server's side. */
    close(reason: CloseReason): void {
      if (release()) ws.close(closeCodes[reason], closeWords[reason])
    },
  }
}
