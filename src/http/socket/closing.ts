// The end of a connection, which comes once: whatever the connection holds is let go of, whoever ends it.
import type { WebSocket } from 'ws'
import { type CloseReason, closeCodes } from '../../contract/socket.ts'
import { closeWords } from './words.ts'

export type Closing = ReturnType<typeof createClosing>

export const createClosing = (ws: WebSocket) => {
  const jobs: (() => void)[] = []
  let isOver = false
  /** Does everything that is to be done at the end; false: it was done before. */
  const letGo = (): boolean => {
    if (isOver) return false
    isOver = true
    for (const job of jobs) job()
    return true
  }
  return {
    isOver: () => isOver,
    /** Jobs are done at the end, in the order in which they are given. */
    atEnd: (job: () => void): void => void jobs.push(job),
    letGo,
    /** Ends the connection from here. */
    close(reason: CloseReason): void {
      if (letGo()) ws.close(closeCodes[reason], closeWords[reason])
    },
  }
}
