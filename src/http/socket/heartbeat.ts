// Checks whether the client is still connected. `openStreams` calls `beat` every ten seconds, and the client must
// answer each ping before the next call.
import type { WebSocket } from 'ws'

/** Every third call of `beat` sends a ping. */
const looksPerPing = 3

/** Calls `lost` when the client has not answered a ping in time. */
export const createHeartbeat = (ws: WebSocket, lost: () => void) => {
  let looks = 0
  let isAwaited = false
  let wasUnread = false
  return {
    /** The connection calls this when bytes have arrived. */
    heard(): void {
      isAwaited = false
    },
    /** The connection calls this when it pauses reading, because it would not notice the answer to a ping. */
    unread(): void {
      wasUnread = true
    },
    /** `openStreams` calls this every ten seconds, unless the outbox is full. */
    beat(): void {
      if (wasUnread) isAwaited = false
      wasUnread = ws.isPaused
      if (isAwaited) {
        lost()
        return void ws.terminate()
      }
      if (++looks % looksPerPing > 0) return
      isAwaited = true
      ws.ping()
    },
  }
}
