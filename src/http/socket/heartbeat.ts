// Checks whether the client is still connected. The client must answer each ping before the next look.
import type { WebSocket } from 'ws'

/** A ping is sent on every third look of `openStreams`, which looks every ten seconds. */
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
    /** `openStreams` calls this at each look. */
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
