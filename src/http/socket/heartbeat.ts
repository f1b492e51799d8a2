// Whether anybody is still there: a ping now and then, which must be answered before the next look.
import type { WebSocket } from 'ws'

/** A ping goes out on every third look of `openStreams`, which looks every ten seconds. */
const looksPerPing = 3

/** `lost` is called when a ping was not answered. */
export const createHeartbeat = (ws: WebSocket, lost: () => void) => {
  let looks = 0
  let isAwaited = false
  let wasUnread = false
  return {
    /** Something came in. */
    heard(): void {
      isAwaited = false
    },
    /** The connection is not read from for now, so an answer would not be heard. */
    unread(): void {
      wasUnread = true
    },
    /** One look. */
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
