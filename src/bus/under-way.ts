/** When this many messages are sent and not acknowledged yet, no more are sent. */
const messagesAtMost = 1024
/** When messages of this many bytes are sent and not acknowledged yet, no more are sent. */
const bytesAtMost = 4 * 1024 * 1024
/** When NATS has acknowledged nothing for this many milliseconds, the messages under way count as lost. */
export const patienceMs = 3000

type Sent = { position: number; bytes: number }

/** The messages that were sent and are not acknowledged yet, oldest first. */
export const createUnderWay = () => {
  let messages: Sent[] = []
  let bytes = 0
  let progressAt = 0
  return {
    isEmpty: () => messages.length === 0,
    isFull: () => messages.length >= messagesAtMost || bytes >= bytesAtMost,
    /** Whether messages are under way and none was acknowledged for too long. */
    isLost: () => messages.length > 0 && performance.now() - progressAt > patienceMs,
    /** The position of the oldest message. */
    oldest: () => messages[0]?.position,
    add(position: number, size: number): void {
      if (messages.length === 0) progressAt = performance.now()
      messages.push({ position, bytes: size })
      bytes += size
    },
    /** Removes and returns the oldest `count` messages, which were acknowledged. */
    take(count: number): readonly Sent[] {
      const taken = messages.splice(0, count)
      for (const message of taken) bytes -= message.bytes
      progressAt = performance.now()
      return taken
    },
    clear(): void {
      messages = []
      bytes = 0
    },
  }
}
export type UnderWay = ReturnType<typeof createUnderWay>
