// Checks whether the client is still there: it must answer each ping before the next look.
import type { WebSocket } from 'ws'

/** A ping is sent on every third look of `openStreams`, which looks every ten seconds. */
const looksPerPing = 3

/** `lost` is called when a ping was not answered in time. */
export const createHeartbeat = (ws: WebSocket, lost: () => void) => {
  let looks = 0
  let isAwaited = false
  let wasUnread = false
  return {
    /** Called when bytes came in. */
    heard(): void {
      isAwaited = false
    },
    /** Called when reading is paused, so an answer would not be noticed. */
    unread(): void {
      wasUnread = true
    },
    /** Called at each look. */
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
