// The end of a connection. It happens only once, whether the client or the server ends the connection, and it releases
// everything that the connection holds.
import type { WebSocket } from 'ws'
import { Refusal } from '../../contract/refusals.ts'
import { type CloseReason, closeCodes } from '../../contract/socket.ts'
import { closeWords } from './words.ts'

/** Why the server closes the connection of a stranger: the role of the token may not follow, or no token is valid. */
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
